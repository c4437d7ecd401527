import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  brokenVariants,
  inputOf,
  leftOutOf,
  ofKind,
  readSample,
  recordsOf,
} from '../../../../../test/support/import-records.ts';
import { cogx } from './cogx.ts';
import { graphiti } from './graphiti.ts';

const bodiesOf = (records: Awaited<ReturnType<typeof recordsOf>>) =>
  ofKind(records, 'memory').map(({ body }) => body);
const readJson = (value: unknown, path = 'dump.json') =>
  recordsOf(graphiti, inputOf({ [path]: JSON.stringify(value) }));

describe('a dump of Graphiti', () => {
  it('an answer of a search has edges without names: memories, no facts', async () => {
    const { isRecognised, records } = await readSample(graphiti, 'graphiti/facts.json');
    expect(isRecognised).toBe(true);
    expect([ofKind(records, 'memory'), ofKind(records, 'fact')].map(({ length }) => length)).toEqual([3, 0]);
  });

  it('edges are named by nodes that come after them, and in another file', async () => {
    const input = inputOf({
      'edges.json': JSON.stringify([
        {
          uuid: 'e',
          source_node_uuid: 'a',
          target_node_uuid: 'b',
          name: 'KNOWS',
          fact: 'Ana knows Ben.',
          fact_embedding: [],
        },
      ]),
      'nodes.jsonl':
        '{"uuid":"a","name":"Ana","name_embedding":[]}\n{"uuid":"b","name":"Ben","name_embedding":[]}\n',
      'readme.txt': 'dumped on Monday',
    });
    expect(await graphiti.recognises(input)).toBe(true);
    const records = await recordsOf(graphiti, input);
    expect(ofKind(records, 'fact').map(({ body }) => body)).toEqual([
      { subject: 'Ana', predicate: 'KNOWS', object: 'Ben' },
    ]);
    expect(leftOutOf(records)).toEqual({ 'unknown file': 1 });
  });

  it.each([
    ['Ana(user): hi', 'user', 'Ana: hi'],
    ['(assistant): hi', 'assistant', 'hi'],
    ['Ana (Human): two\nlines', 'user', 'Ana: two\nlines'],
    ['Ana(user): one\nBot(assistant): two', undefined, 'Ana(user): one\nBot(assistant): two'],
    ['the price (user): none', 'user', 'the price: none'],
    ['plain', undefined, 'plain'],
  ])('the episode %j is said by %s', async (content, role, text) => {
    const [body] = bodiesOf(
      await readJson({ episodes: [{ uuid: 'x', content, valid_at: '2026-01-01T00:00:00Z' }] }),
    );
    expect([body.role, body.content]).toEqual([role, text]);
  });

  it('system messages are left out, times of databases are read, others are named', async () => {
    const episodes = [
      { uuid: 'a', content: 'x(system): rules' },
      {
        uuid: 'b',
        content: 'kept',
        valid_at: '2026-01-12T08:00:00.000000000Z[UTC]',
        created_at: '04/01/2026',
      },
    ];
    const records = await readJson({ episodic_nodes: episodes });
    expect(bodiesOf(records)).toMatchObject([{ content: 'kept', eventTime: '2026-01-12T08:00:00.000Z' }]);
    expect(leftOutOf(records)).toEqual({ 'system message': 1 });
    expect(ofKind(records, 'noted')).toMatchObject([{ reason: 'the time "04/01/2026" is not ISO 8601' }]);
  });

  it('a thread of Zep has its messages with their roles', async () => {
    const messages = [
      { uuid: 'm', role: 'user', name: 'Ana', content: 'hi', created_at: '2026-01-01T00:00:00Z' },
    ];
    const records = await readJson({ messages, thread_id: 't1' });
    expect(ofKind(records, 'conversation')).toMatchObject([{ title: 't1' }]);
    expect(bodiesOf(records)).toMatchObject([{ role: 'user', content: 'hi' }]);
  });

  it('whatever a member is, the other records arrive', async () => {
    const { episodes, nodes, edges } = JSON.parse(
      readFileSync('test/data/imports/graphiti/dump.json', 'utf8'),
    );
    const small = { episodes: episodes.slice(0, 2), nodes: nodes.slice(0, 3), edges: edges.slice(0, 2) };
    for (const { place, variant } of brokenVariants(small)) {
      const bodies = bodiesOf(await readJson(variant));
      expect(bodies.length, place).toBeLessThanOrEqual(4);
      for (const { content, externalId } of bodies)
        expect([typeof content, typeof externalId]).toEqual(['string', 'string']);
    }
  });
});

describe('an archive of COGX', () => {
  const lineFiles = ['documents', 'episodes', 'entities', 'facts', 'memories', 'memory_blocks'];

  it('a newer version is refused in one sentence', async () => {
    const records = await recordsOf(cogx, inputOf({ 'manifest.json': '{"cogx_version": "1.0"}' }));
    expect(records).toEqual([
      { kind: 'refused', at: 'test', reason: 'its version of COGX, 1.0, is newer than 0' },
    ]);
  });

  it('a packed archive that breaks off is one error', async () => {
    const whole = readFileSync('test/data/imports/cogx/harbour.cogx.tar.gz');
    const broken = whole.subarray(0, whole.length - 200);
    const input = inputOf({ 'harbour.cogx.tar.gz': '' });
    const [file] = input.files;
    async function* bytes() {
      yield broken;
    }
    await expect(recordsOf(cogx, { ...input, files: [{ ...file, bytes }] })).rejects.toThrow(
      /cannot be read/,
    );
  });

  it('whatever a member is, the other records arrive', async () => {
    for (const name of lineFiles) {
      const text = readFileSync(`test/data/imports/cogx/archive/${name}.jsonl`, 'utf8');
      const [line] = text.split('\n');
      for (const { place, variant } of brokenVariants(JSON.parse(line))) {
        const input = inputOf({
          'manifest.json': '{"cogx_version":"0.1"}',
          [`${name}.jsonl`]: JSON.stringify(variant),
        });
        const records = await recordsOf(cogx, input);
        for (const { content } of bodiesOf(records)) expect(typeof content, place).toBe('string');
      }
    }
  });
});
