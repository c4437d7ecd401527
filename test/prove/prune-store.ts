import type { Client } from '../support/http-client.ts';
import type { Random } from '../support/random.ts';
import { demand } from './proof.ts';

/** What a random store has, as far as a prune must know it. */
export interface PruneStore {
  readonly ids: readonly string[];
  /** When each was written. */
  readonly writtenAt: ReadonlyMap<string, number>;
  /** Named memories and their versions, roots and resolutions of narratives. */
  readonly kept: ReadonlySet<string>;
}

const dayMs = 86_400_000;
const texts = [
  'ok',
  'yes yes yes',
  'Thanks!',
  'Ana lives in Lisbon and works for Harbour Labs.',
  'The release of the harbour app moved from Monday to Thursday because the tide tables were late.',
  'src/tides/read.ts reads the tables of the office; it fails on an empty file.',
  'test test',
  'We decided to use PostgreSQL for the shop, since two services write at once.',
];
const edgeTypes = ['SUPERSEDES', 'CONTRADICTS', 'DUPLICATES', 'RELATES_TO', 'RESOLVES'] as const;
const memoriesMax = 10;
const daysMax = 40;

async function post(http: Client, path: string, body: object): Promise<{ id: string }> {
  const reply = await http.post<{ data: { id: string } }>(path, body);
  // Two random edges may be refused: one between the same two, or a circle.
  const isRefused = path.endsWith('/relationships') && [400, 409, 422].includes(reply.status);
  demand(
    [200, 201, 204].includes(reply.status) || isRefused,
    `${path} answered ${reply.status}`,
    body,
    reply.text,
  );
  return reply.body?.data ?? { id: '' };
}

/** @returns the id of the memory that has the name now */
async function writeVersion(http: Client, name: string, random: Random): Promise<string> {
  const reply = await http.put<{ data: { id: string } }>(`/api/memories/named/${name}`, {
    content: `${random.pick(texts)} Again.`,
  });
  demand(reply.status === 201, `a new version answered ${reply.status}`, reply.text);
  return reply.body.data.id;
}

/** Writes a small store: memories of any age and quality, some named, linked, rated, or ends of narratives. */
export async function writePruneStore(http: Client, random: Random, now: number): Promise<PruneStore> {
  const ids: string[] = [];
  const writtenAt = new Map<string, number>();
  const kept = new Set<string>();
  const count = random.int(1, memoriesMax);
  for (let i = 0; i < count; i++) {
    const at = now - Math.floor(random.float() * daysMax * dayMs) - 1;
    const name = random.chance(0.15) ? `name-${i}` : undefined;
    const { id } = await post(http, '/api/memories', {
      content: `${random.pick(texts)}${random.chance(0.5) ? ` (${i})` : ''}`,
      createdAt: new Date(at).toISOString(),
      conversationId: 'NEW',
      topics: random.sample(['harbour', 'shop', 'tides'], random.int(0, 2)),
      ...(random.chance(0.3) && { metadata: { importance: random.int(1, 10) } }),
      ...(name !== undefined && { name }),
    });
    ids.push(id);
    writtenAt.set(id, at);
    if (name === undefined) continue;
    kept.add(id);
    if (random.chance(0.5)) kept.add(await writeVersion(http, name, random));
  }
  for (let i = random.int(0, count); i > 0; i--) {
    const [source, target] = [random.pick(ids), random.pick(ids)];
    const body = { targetMemoryId: target, type: random.pick(edgeTypes) };
    if (source !== target) await post(http, `/api/memories/${source}/relationships`, body);
  }
  for (let i = random.int(0, 3); i > 0; i--) {
    const action = random.pick(['selected', 'not_selected']);
    await post(http, '/api/memories/search/feedback', { memoryId: random.pick(ids), action });
  }
  if (random.chance(0.4)) {
    const [root, resolution] = [random.pick(ids), random.pick(ids)];
    const { id } = await post(http, '/api/narratives', { title: 'A talk', rootMemoryId: root });
    kept.add(root);
    if (root !== resolution) {
      const change = { state: 'resolved', resolutionMemoryId: resolution };
      const reply = await http.patch(`/api/narratives/${id}`, change);
      demand(reply.status === 200, 'a narrative is resolved', reply.text);
      kept.add(resolution);
    }
  }
  return { ids, writtenAt, kept };
}
