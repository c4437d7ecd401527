/**
 * Setup of vitest for `scripts/partitions/check.ts`: every statement's plan comes to its connection as a notice and is noted, a
 * line of JSON each, in the file that `MEMORYD_TEST_PLANS` names; with its text if it reads more than one part of the tables, or
 * reads one and takes a lock.
 * Of this process and of its pools only: commands and services that tests start, and what tests ask by connections of their
 * own, are not seen.
 */
import { appendFileSync } from 'node:fs';
import pg from 'pg';

const path = process.env.MEMORYD_TEST_PLANS;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

function partsIn(plan: PlanNode, found = new Set<string>()): ReadonlySet<string> {
  const part = /_p(\d+)$/.exec(plan['Relation Name'] ?? '')?.[1];
  if (part !== undefined) found.add(part);
  for (const inner of plan.Plans ?? []) partsIn(inner, found);
  return found;
}

function note(message: string, file: string): void {
  const json = /^duration: .* plan:\n(\{[\s\S]*\})\s*$/.exec(message)?.[1];
  if (json === undefined) return;
  const { 'Query Text': text, Plan } = JSON.parse(json) as Explained;
  const parts = partsIn(Plan).size;
  const isNamed = parts > 1 || (parts > 0 && text.includes('advisory'));
  appendFileSync(file, `${JSON.stringify(isNamed ? { parts, text } : { parts })}\n`);
}

const seen = pg.Pool.prototype as pg.Pool & { isNoted?: boolean };
if (path !== undefined && !seen.isNoted) {
  seen.isNoted = true;
  const noted = new WeakSet<pg.Pool>();
  const connect = seen.connect as (this: pg.Pool, ...args: unknown[]) => unknown;
  seen.connect = function (this: pg.Pool, ...args: unknown[]) {
    if (!noted.has(this))
      this.on('connect', (client) => client.on('notice', ({ message }) => note(message ?? '', path)));
    noted.add(this);
    return connect.apply(this, args);
  } as typeof seen.connect;
}
