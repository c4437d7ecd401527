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
import { pastedList } from '../plain/pasted-list.ts';
import type { Reader } from '../reader.ts';
import { hindsight } from './hindsight.ts';
import { langgraph } from './langgraph.ts';
import { letta } from './letta.ts';

const samples = 'test/data/imports';

describe.each([
  ['letta/harbour.af', letta, { conversations: 1, memories: 4 }],
  ['letta/legacy.af', letta, { conversations: 1, memories: 2 }],
  ['letta/passages.json', letta, { conversations: 1, memories: 2 }],
  ['langgraph/items.json', langgraph, { conversations: 2, memories: 4 }],
  ['langgraph/items.jsonl', langgraph, { conversations: 1, memories: 2 }],
  ['hindsight/harbour.zip', hindsight, { conversations: 2, memories: 5 }],
  ['pasted-list/memories.txt', pastedList, { conversations: 1, memories: 3 }],
] as const)('a reader of %s', (path, reader, counts) => {
  it('the sample is recognised and read whole', async () => {
    const { isRecognised, records } = await readSample(reader, path);
    expect(isRecognised).toBe(true);
    expect({
      conversations: ofKind(records, 'conversation').length,
      memories: ofKind(records, 'memory').length,
    }).toEqual(counts);
    const ids = ofKind(records, 'memory').map(({ body }) => body.externalId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('an agent file of Letta', () => {
  it('has what was said, and a named memory for each block', async () => {
    const { records } = await readSample(letta, 'letta/harbour.af');
    expect(ofKind(records, 'memory').map(({ body }) => [body.role, body.content])).toEqual([
      ['user', 'Which berth is free on Friday?'],
      ['assistant', 'Berth 7 is free on Friday.'],
      ['user', 'Book it for the Östern, please.'],
      ['assistant', 'Booked.'],
    ]);
    expect(ofKind(records, 'named').map(({ name }) => name)).toEqual([
      'letta-harbour-master-human',
      'letta-harbour-master-persona',
    ]);
    expect(leftOutOf(records)).toEqual({
      'system message': 2,
      'tool message': 2,
      'not a message': 1,
      empty: 1,
    });
  });

  it('numbers its messages again in each file, which does not change their ids', async () => {
    const idsOf = async (path: string) =>
      ofKind((await readSample(letta, path)).records, 'memory').map(({ body }) => body.externalId);
    expect(await idsOf('letta/newer/harbour.af')).toEqual(
      expect.arrayContaining(await idsOf('letta/harbour.af')),
    );
  });
});

describe('a transfer archive of Hindsight', () => {
  it('has documents, facts with their times, and causes', async () => {
    const { records } = await readSample(hindsight, 'hindsight/harbour.zip');
    expect(ofKind(records, 'relationship')).toMatchObject([{ type: 'REFERENCES', reason: 'caused_by' }]);
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toContain(
      'First half – „Öl“.\n\nSecond half about ropes.',
    );
    expect(leftOutOf(records)).toEqual({ empty: 1, duplicate: 1 });
  });
});

describe('a pasted list', () => {
  it('without dates is recognised as nothing, and read line by line if asked', async () => {
    const input = inputOf({ 'list.txt': '- Likes tea\n\nRuns on Sundays\n' });
    expect(await pastedList.recognises(input)).toBe(false);
    const records = await recordsOf(pastedList, input);
    expect(ofKind(records, 'memory').map(({ body }) => body.content)).toEqual([
      'Likes tea',
      'Runs on Sundays',
    ]);
  });
});

describe('broken values', () => {
  const json = (path: string) => JSON.parse(readFileSync(`${samples}/${path}`, 'utf8')) as unknown;
  const cases: readonly (readonly [string, Reader, unknown])[] = [
    ['agent.af', letta, json('letta/harbour.af')],
    ['legacy.af', letta, json('letta/legacy.af')],
    ['passages.json', letta, json('letta/passages.json')],
    ['items.json', langgraph, json('langgraph/items.json')],
    [
      'documents/0.json',
      hindsight,
      { id: 'd', original_text: 'x', chunks: [{}], facts: [{ text: 'a', causal_relations: [{}] }] },
    ],
  ];

  it.each(cases)('in %s never end the run', async (path, reader, value) => {
    // One in five of thousands.
    for (const { place, variant } of [...brokenVariants(value)].filter((_, i) => i % 5 === 0)) {
      const records = await recordsOf(reader, inputOf({ [path]: JSON.stringify(variant) }));
      for (const { body } of ofKind(records, 'memory')) expect(typeof body.content, place).toBe('string');
      for (const { name } of ofKind(records, 'named'))
        expect(name, place).toMatch(/^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$/);
    }
  });
});
