import { expect, it } from 'vitest';
import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import type { DigestSource, ScoredStatement } from './digest.ts';
import { groupByMatter } from './group-sources.ts';

const texts = [
  'Jonas: The oven is at 230 degrees.',
  'Jonas: Opening hours are wrong on the map.',
  'Jonas: The flour comes on Monday.',
  'Ask Ada for the key.',
  'Ada has the key of the store.',
  'Ines: The scale is broken.',
];
const sources = texts.map(
  (content, i): DigestSource => ({
    number: i + 1,
    memory: { content, topics: [] as string[] } as unknown as Memory,
    relevance: 1,
    score: 1,
    conversation: undefined,
  }),
);
const statements = texts.map(
  (text, i): ScoredStatement => ({
    source: i + 1,
    position: 0,
    text,
    terms: new Set(),
    also: [],
    score: 1 - i / 10,
  }),
);
const person = (name: string): EntityOfMemory =>
  ({ id: name, name, type: 'PERSON', confidence: 0.9 }) as EntityOfMemory;

it('a name that statements are about is a heading, that of who speaks is none', () => {
  const names = new Map([
    ...[1, 2, 3].map((number) => [number, [person('Jonas')]] as const),
    ...[4, 5].map((number) => [number, [person('Ada')]] as const),
    [6, [person('Ines')]],
  ]);
  const groups = groupByMatter({ sources, names }, statements);
  expect(groups.map(({ title }) => title)).toEqual(['Ada', undefined]);
});
