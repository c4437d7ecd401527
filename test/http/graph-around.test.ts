import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Node {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly effectiveState?: string;
  readonly distance: number;
  readonly hidden: number;
  readonly validFrom?: string;
  readonly validTo?: string;
}
interface Edge {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly confidence: number;
  readonly validFrom?: string;
  readonly validTo?: string;
}
interface Graph {
  readonly data: { readonly nodes: Node[]; readonly edges: Edge[]; readonly hiddenEdges: number };
}
type Made = { data: { id: string } };

describe.each(engines)('the graph around one thing on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const write = async (content: string, topics: readonly string[] = [], more: object = {}) => {
    const made = await http.post<Made>('/api/memories', { content, topics, conversationId: 'NEW', ...more });
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  const graph = async (around: string, more = '') => {
    const { status, body } = await http.get<Graph>(`/api/graph?around=${encodeURIComponent(around)}${more}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };
  const named = ({ nodes }: Graph['data'], kind: string) =>
    nodes.filter((node) => node.kind === kind).map(({ name }) => name);
  const lines = ({ nodes, edges }: Graph['data']) => {
    const names = new Map(nodes.map(({ kind, id, name }) => [`${kind}:${id}`, name]));
    return edges.map(({ type, from, to }) => `${names.get(from)} ${type} ${names.get(to)}`).sort();
  };

  it('a topic has its memories around it, and with two steps their other topics', async () => {
    await write('Tar the hull.', ['boat', 'spring']);
    await write('Mend the sail.', ['boat']);
    await write('Sow the peas.', ['spring']);
    const near = await graph('topic:boat');
    expect(near.nodes[0]).toMatchObject({ kind: 'topic', name: 'boat', distance: 0, hidden: 0 });
    expect(named(near, 'memory')).toEqual(['Mend the sail.', 'Tar the hull.']);
    expect(near.nodes.map(({ hidden }) => hidden)).toEqual([0, 0, 1]);
    expect(lines(near)).toEqual(['Mend the sail. HAS_TOPIC boat', 'Tar the hull. HAS_TOPIC boat']);
    const far = await graph(`topic:${near.nodes[0].id}`, '&depth=2');
    expect(far.nodes.map(({ name, distance }) => [name, distance])).toEqual([
      ['boat', 0],
      ['Mend the sail.', 1],
      ['Tar the hull.', 1],
      ['spring', 2],
    ]);
    expect(far.nodes.at(-1)?.hidden).toBe(1);
  });

  it('a memory shows its topics, entities, facts and relationships', async () => {
    const old = await write('Ana lives in Bergen.', ['home']);
    const later = await write('Ana lives in Voss.', ['home']);
    await http.post(`/api/memories/${later}/relationships`, { targetMemoryId: old, type: 'FOLLOWS' });
    await deriveAll(app.services);
    const found = await graph(`memory:${later}`);
    expect(named(found, 'entity')).toEqual(expect.arrayContaining(['Ana', 'Voss']));
    expect(named(found, 'memory')).toEqual(['Ana lives in Voss.', 'Ana lives in Bergen.']);
    expect(lines(found)).toEqual(
      expect.arrayContaining([
        'Ana lives in Voss. FOLLOWS Ana lives in Bergen.',
        'Ana lives in Voss. HAS_TOPIC home',
        'Ana lives in Voss. MENTIONS Ana',
      ]),
    );
    const fact = found.nodes.find(({ kind, name }) => kind === 'fact' && name.includes('Voss'));
    const ofFact = await graph(`fact:${fact?.id}`);
    expect(ofFact.edges.map(({ type }) => type)).toEqual(expect.arrayContaining(['STATES', 'ABOUT']));
    const ana = found.nodes.find(({ name }) => name === 'Ana');
    expect(named(await graph(`entity:${ana?.id}`), 'memory')).toEqual([
      'Ana lives in Voss.',
      'Ana lives in Bergen.',
    ]);
  });

  it('what was replaced holds until what replaced it began', async () => {
    const old = await write('The gate code is 1111.', ['gate'], { eventTime: '2026-01-02T00:00:00Z' });
    const later = await write('The gate code is 2222.', ['gate'], { eventTime: '2026-03-04T00:00:00Z' });
    await http.post(`/api/memories/${later}/relationships`, { targetMemoryId: old, type: 'SUPERSEDES' });
    const { nodes, edges } = await graph('topic:gate');
    const span = { validFrom: '2026-01-02T00:00:00.000Z', validTo: '2026-03-04T00:00:00.000Z' };
    expect(nodes.find(({ id }) => id === old)).toMatchObject({ effectiveState: 'superseded', ...span });
    expect(edges.find(({ from, type }) => type === 'HAS_TOPIC' && from === `memory:${old}`)).toMatchObject(
      span,
    );
    const open = edges.find(({ from, type }) => type === 'HAS_TOPIC' && from === `memory:${later}`);
    expect(open).toMatchObject({ validFrom: '2026-03-04T00:00:00.000Z' });
    expect(open).not.toHaveProperty('validTo');
    expect(edges.find(({ type }) => type === 'SUPERSEDES')).toMatchObject({
      from: `memory:${later}`,
      to: `memory:${old}`,
      validFrom: '2026-03-04T00:00:00.000Z',
    });
  });

  it('of many neighbours as many are shown as asked for, and the number of the others is told', async () => {
    for (let i = 0; i < 40; i++) await write(`Note ${i} of the harbour.`, ['harbour', `berth ${i}`]);
    const some = await graph('topic:harbour', '&limit=11');
    expect(some.nodes).toHaveLength(11);
    expect(some.nodes[0].hidden).toBe(30);
    const all = await graph('topic:harbour', '&limit=300&depth=2');
    expect(all.nodes).toHaveLength(81);
    expect(all.nodes.every(({ hidden }) => hidden === 0)).toBe(true);
    expect(all.edges).toHaveLength(80);
    const half = await graph('topic:harbour', '&limit=20&depth=2');
    expect(half.nodes.map(({ distance }) => distance)).toEqual([
      0,
      ...Array(9).fill(1),
      ...Array(10).fill(2),
    ]);
    expect(await graph('topic:harbour', '&limit=20&depth=2')).toEqual(half);
  });

  it('deleted memories are not in the graph', async () => {
    const gone = await write('Sell the anchor.', ['sale']);
    await write('Keep the oars.', ['sale']);
    await http.delete(`/api/memories/${gone}`);
    expect(named(await graph('topic:sale'), 'memory')).toEqual(['Keep the oars.']);
    expect((await http.get(`/api/graph?around=memory:${gone}`)).status).toBe(404);
  });

  it('what is unknown and what is of another user answer alike', async () => {
    const id = await write('Ana sails to Utsira.', ['secret']);
    await deriveAll(app.services);
    const { nodes } = await graph(`memory:${id}`);
    const other = await app.newClient();
    const unknown = '00000000-0000-4000-8000-000000000000';
    const refusal = async (around: string) => {
      const { status, body } = await other.get(`/api/graph?around=${encodeURIComponent(around)}`);
      expect(status).toBe(404);
      const { requestId: _, ...same } = body;
      return same;
    };
    for (const kind of ['memory', 'entity', 'topic', 'fact']) {
      const own = nodes.find((node) => node.kind === kind);
      expect(own, kind).toBeDefined();
      expect(await refusal(`${kind}:${own?.id}`)).toEqual(await refusal(`${kind}:${unknown}`));
    }
  });

  it('a centre of another form is refused by its field', async () => {
    for (const around of ['', 'memory:', 'community:1', 'boat'])
      expect((await http.get(`/api/graph?around=${around}`)).body).toMatchObject({ code: 'INPUT_INVALID' });
    for (const bound of ['depth=3', 'limit=301', 'depth=0', 'limit=0'])
      expect((await http.get(`/api/graph?around=topic:boat&${bound}`)).status).toBe(422);
  });
});
