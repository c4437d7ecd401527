import { expect } from 'vitest';
import type { Client } from '../support/http-client.ts';
import { runImport } from './import-process.ts';

/** What `memoryd import --json` printed. */
export interface ImportJson {
  readonly code: number | null;
  readonly imported: number;
  readonly changed: number;
  readonly refused: number;
  readonly skipped: number;
  readonly deletedHere: number;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly notes: readonly object[];
}

export async function importJson(
  http: Client,
  [first, ...others]: readonly string[],
  args: readonly string[] = [],
): Promise<ImportJson> {
  const { code, out, err } = await runImport(http, first, [...others, ...args, '--json']);
  expect({ code, err }).toMatchObject({ code: expect.toBeOneOf([0, 1]) });
  if (out.length === 0) throw new Error(err.join('\n'));
  const { data } = JSON.parse(out.join('\n')) as { data: Omit<ImportJson, 'code'> };
  return { ...data, code };
}

export interface StoredMemory {
  readonly id: string;
  readonly content: string;
  readonly conversationId: string;
  readonly name?: string;
  readonly version?: number;
  readonly role?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly eventTime?: string;
  readonly validFrom?: string;
  readonly validTo?: string;
  readonly topics: readonly string[];
  readonly effectiveState?: string;
  readonly externalId?: string;
  readonly createdBy?: object;
  readonly codeContext?: { readonly repo?: string };
  readonly metadata?: { readonly import?: { readonly part: number } };
}

interface StoredConversation {
  readonly id: string;
  readonly title: string;
  readonly externalId?: string;
}

interface StoredFact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly updatedAt: string;
  readonly externalId?: string;
  /** Of derived ones. */
  readonly confidenceBasis?: string;
}

interface StoredArtifact {
  readonly id: string;
  readonly name?: string;
  readonly content: string;
  readonly updatedAt: string;
  readonly memoryId?: string;
}

interface StoredRelationship {
  readonly id: string;
  readonly type: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly creationMethod?: string;
  readonly reason?: string;
}

/** All that a user has. */
export interface Snapshot {
  readonly memories: readonly StoredMemory[];
  readonly conversations: readonly StoredConversation[];
  /** Stated ones. */
  readonly facts: readonly StoredFact[];
  readonly artifacts: readonly StoredArtifact[];
  /** Stated ones. */
  readonly relationships: readonly StoredRelationship[];
}

async function listAll<T>(http: Client, path: string): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const sign = path.includes('?') ? '&' : '?';
    const { body } = await http.get<{ data: T[] }>(`${path}${sign}limit=100&offset=${all.length}`);
    all.push(...body.data);
    if (body.data.length === 0) return all;
  }
}

/** @param options.allFacts also those without an external id */
export async function snapshot(http: Client, { allFacts = false } = {}): Promise<Snapshot> {
  const memories = await listAll<StoredMemory>(http, '/api/memories?order=asc');
  const facts = await listAll<StoredFact>(http, '/api/facts?includeSuperseded=true');
  const relationships: StoredRelationship[] = [];
  for (const { id } of memories) {
    const path = `/api/memories/${id}/relationships?direction=outgoing`;
    const { body } = await http.get<{ data: StoredRelationship[] }>(path);
    relationships.push(...body.data.filter(({ creationMethod }) => creationMethod === 'manual'));
  }
  return {
    memories,
    conversations: await listAll(http, '/api/conversations?minMemories=1'),
    facts: facts.filter(({ externalId, confidenceBasis }) =>
      allFacts ? confidenceBasis === undefined : externalId !== undefined,
    ),
    artifacts: await listAll(http, '/api/artifacts'),
    relationships,
  };
}
