import { describe, expect, it } from 'vitest';
import {
  brokenVariants,
  inputOf,
  leftOutOf,
  ofKind,
  readSample,
  recordsOf,
} from '../../../../../test/support/import-records.ts';
import type { ImportRecord } from '../reader.ts';
import { serverMemory } from './server-memory.ts';

const textsOf = (records: readonly ImportRecord[]) =>
  ofKind(records, 'memory').map(({ body }) => body.content);
const factsOf = (records: readonly ImportRecord[]) =>
  ofKind(records, 'fact').map(({ body }) => [body.subject, body.predicate, body.object]);
const readLines = (...lines: unknown[]) =>
  recordsOf(serverMemory, inputOf({ 'memory.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') }));

describe('the memory of server-memory', () => {
  it('has a memory for each observation, which names its entity, and a fact for each relation and type', async () => {
    const { isRecognised, records } = await readSample(serverMemory, 'server-memory/memory.jsonl');
    expect(isRecognised).toBe(true);
    expect(ofKind(records, 'conversation').map(({ title }) => title)).toEqual([
      'Lehto_Family',
      'Mirka',
      'Boiler',
      'Odd',
      '部品表',
    ]);
    expect(textsOf(records)).toHaveLength(9);
    expect(textsOf(records)).toEqual(
      expect.arrayContaining(['Lehto_Family: Uses the sauna on Thursdays', 'Mirka is nine years old']),
    );
    expect(factsOf(records)).toEqual(
      expect.arrayContaining([
        ['Mirka', 'member_of', 'Lehto_Family'],
        ['Boiler', 'heats house of', 'Lehto_Family'],
        ['Mirka', 'is_friend_of', 'Nobody_Known'],
        ['Turku', 'is a', 'city'],
      ]),
    );
    expect(factsOf(records)).toHaveLength(10);
    expect(ofKind(records, 'refused')).toHaveLength(1);
    expect(leftOutOf(records)).toEqual({
      'unknown type': 1,
      'not a text': 3,
      duplicate: 1,
      'relation without an end': 1,
    });
  });

  it('what read_graph returns is read the same way', async () => {
    const { isRecognised, records } = await readSample(serverMemory, 'server-memory/read_graph.json');
    expect(isRecognised).toBe(true);
    expect(textsOf(records)).toHaveLength(3);
    expect(factsOf(records)).toContainEqual(['Boiler', 'heats house of', 'Lehto_Family']);
  });

  it('the names that forks give to members are known', async () => {
    const records = await readLines(
      { type: 'entity', entityName: 'Ada', entity_type: 'person', observations: [{ content: 'Likes tea' }] },
      { type: 'relation', from_id: 'Ada', to_id: 'Bob', relation_type: 'knows' },
    );
    expect(textsOf(records)).toEqual(['Ada: Likes tea']);
    expect(factsOf(records)).toEqual([
      ['Ada', 'is a', 'person'],
      ['Ada', 'knows', 'Bob'],
    ]);
  });

  it('a name within another word does not name the entity', async () => {
    const records = await readLines({
      type: 'entity',
      name: 'Ann',
      observations: ['Planning is hard', 'ANN sings.'],
    });
    expect(textsOf(records)).toEqual(['Ann: Planning is hard', 'ANN sings.']);
  });

  it('a member of any other type costs its line, never the others or the run', async () => {
    const lines = [
      { type: 'entity', name: 'Ada', entityType: 'person', observations: ['Likes tea', 'Sings'] },
      { type: 'relation', from: 'Ada', to: 'Bob', relationType: 'knows' },
    ];
    const other = { type: 'entity', name: 'Other', observations: ['Stays'] };
    for (const { place, variant } of brokenVariants(lines)) {
      const given = (variant as unknown[]).filter((line) => line !== undefined);
      expect(textsOf(await readLines(...given, other)), place).toContain('Other: Stays');
      const document = { entities: [...given, other], relations: given };
      const records = await recordsOf(serverMemory, inputOf({ 'graph.json': JSON.stringify(document) }));
      expect(textsOf(records), place).toContain('Other: Stays');
    }
  });
});
