/**
 * What `memoryd hook` adds to the prompts of a day of use, and what that costs. Bars of issue 32: 1,500 tokens a prompt,
 * 24 of 27 answers among what is added, nothing where nothing fits, 50 ms of processor time of the service at 10,000
 * memories.
 */
import { parseArgs } from 'node:util';
import { loadTokenCounter } from '../src/briefing/text/tokens.ts';
import type { Engine } from '../test/support/server.ts';
import { agentSets, readAgentSet } from './agents/agent-set.ts';
import { withStored } from './agents/ask-agent.ts';
import { callHook } from './hooks/call-hook.ts';
import { type TimedHook, timeHooks } from './hooks/service-time.ts';
import { quantile } from './http/quantiles.ts';
import { embedderSettings } from './report/embedder-settings.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench hooks -- [--engine sqlite|postgres] [--embedder onnx|static] [--memories N] [--only found|time] [--check] [--out FILE]
  --check: exit 1 if a bar is missed.`;
const bars = { tokens: 1500, found: 24, serviceMs: 50 };
/** Of nothing that an agent stored. */
const unknown = ['zzqqxx wwvvkk', 'Translate the menu of the harbour restaurant into Finnish, please.'];

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    embedder: { type: 'string', default: 'onnx' },
    memories: { type: 'string', default: '10000' },
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const engine = values.engine as Engine;

/** Ids of the set among the memories that were added. */
function idsIn(added: string, ids: ReadonlyMap<string, string>): (string | undefined)[] {
  const { results } = JSON.parse(added.slice(added.indexOf('{'))) as { results: readonly { id: string }[] };
  return results.map(({ id }) => ids.get(id.slice(0, 8)));
}

async function foundIn(name: (typeof agentSets)[number]) {
  const set = readAgentSet(name);
  const count = await loadTokenCounter();
  return withStored(set, { engine, embedder: values.embedder }, async (user, ids) => {
    const asked = [...set.questions, ...unknown.map((ask) => ({ ask, right: [] as readonly string[] }))];
    const rows = [];
    for (const { ask, right } of asked) {
      const { added } = await callHook(user, ask);
      const found = added === undefined ? [] : idsIn(added, ids);
      rows.push({ ask, right, found, tokens: added === undefined ? 0 : count(added) });
    }
    const known = rows.filter(({ right }) => right.length > 0);
    return {
      name,
      rows,
      known: known.length,
      found: known.filter(({ right, found }) => found.some((id) => id && right.includes(id))).length,
      tokens: rows.map(({ tokens }) => tokens),
      toUnknown: rows.filter(({ right, found }) => right.length === 0 && found.length > 0).length,
      unknown: rows.length - known.length,
    };
  });
}

async function main(): Promise<void> {
  const missed: string[] = [];
  const result: Record<string, unknown> = { environment: describeEnvironment(), engine };
  if (values.only !== 'time') {
    const sets = [];
    for (const name of agentSets) sets.push(await foundIn(name));
    const rows = sets.map(({ name, found, known, tokens, toUnknown, unknown: none }) => [
      name,
      `${found} of ${known}`,
      String(Math.round(quantile(tokens, 0.5))),
      String(Math.max(...tokens)),
      `${toUnknown} of ${none}`,
    ]);
    console.log(toTable(['set', 'found', 'tokens, median', 'most', 'added where nothing is known'], rows));
    for (const { name, rows: asked, found, tokens } of sets) {
      for (const { ask, right, found: ids } of asked)
        if (right.length > 0 && !ids.some((id) => id && right.includes(id)))
          console.log(`  ${name}, missed: ${ask}`);
      if (found < bars.found) missed.push(`${name}: ${found} found`);
      if (Math.max(...tokens) > bars.tokens) missed.push(`${name}: ${Math.max(...tokens)} tokens`);
    }
    result.sets = sets;
  }
  if (values.only !== 'found') {
    const prompts = agentSets.flatMap((name) => readAgentSet(name).questions.map(({ ask }) => ask));
    const options = {
      engine,
      embedder: embedderSettings(values.embedder),
      memories: Number(values.memories),
    };
    const { cold, first, warm } = await timeHooks(prompts, options);
    const spread = (name: string, timed: readonly TimedHook[], of: (each: TimedHook) => number) => {
      const ms = timed.map(of);
      return [name, ...[0.5, 0.95].map((p) => quantile(ms, p).toFixed(1)), Math.max(...ms).toFixed(1)];
    };
    const serviceMs = (each: TimedHook) => each.serviceMs;
    const ofFirst = spread('service, first prompts after a start', first, serviceMs);
    const ofWarm = spread('service, later', warm, serviceMs);
    console.log(
      toTable(
        [`processor time in ms at ${values.memories} memories`, 'median', 'p95', 'most'],
        [
          spread('service, first prompts, without warm-up', cold, serviceMs),
          ofFirst,
          ofWarm,
          spread('process of the hook', warm, (each) => each.processMs),
          spread('time from the prompt to what is added', warm, (each) => each.wallMs),
        ],
      ),
    );
    for (const [name, , p95] of [ofFirst, ofWarm])
      if (Number(p95) > bars.serviceMs) missed.push(`${name}: p95 ${p95} ms`);
    const withoutText = ({ added, ...ms }: TimedHook) => ({ ...ms, added: added !== undefined });
    result.timed = Object.fromEntries(
      Object.entries({ cold, first, warm }).map(([name, timed]) => [name, timed.map(withoutText)]),
    );
  }
  console.log(`JSON: ${writeResult('hooks', result, values.out)}`);
  for (const bar of missed) console.log(`missed: ${bar}`);
  if (values.check && missed.length > 0) process.exitCode = 1;
}

if (values.help) console.log(usage);
else await main();
