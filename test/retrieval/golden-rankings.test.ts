import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readDataSet } from '../../bench/locomo/data-set.ts';
import { toContent } from '../../bench/locomo/import-conversation.ts';
import { readNoteSet } from '../../bench/notes/note-set.ts';
import type { User } from '../../src/domain/users/user.ts';
import type { SearchOutcome, SearchRequest } from '../../src/search/request.ts';
import { previewLengthMax } from '../../src/search/shape/preview.ts';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

const talks = readDataSet(fileURLToPath(new URL('../fixtures/locomo-small.json', import.meta.url)));
const { asked } = readNoteSet();
const notes = asked.development;
const golden = fileURLToPath(new URL('../fixtures/golden-rankings.txt', import.meta.url));

const start = Date.parse('2024-09-01T00:00:00.000Z');
const minute = 60_000;
const shownMax = 5;

/** Queries that are read in another way than by their words alone. */
const special = [
  'pottrey clas', // typos
  'bicyc', // unfinished
  '"evening pottery class" Nadia',
  '"no memory has this phrase" boat',
  'what happened last May',
  'pets',
  'Tomas',
  'What did Priya say in spring 2024?',
  'the of and',
  'zzzz qqqq',
];
const queries = [
  ...talks.conversations.flatMap(({ questions }) => questions.map(({ question }) => question)).slice(0, 40),
  ...notes.slice(0, 15).map(({ question }) => question),
  ...special,
];

type Ask = [name: string, request: Partial<SearchRequest>];
const asks: readonly Ask[] = (['hybrid', 'keyword', 'semantic'] as const).flatMap((method) => [
  [`${method} context`, { method, context: true }] as const,
  [`${method} alone`, { method, context: false }] as const,
]) as Ask[];

/** Of the special queries and some others only. */
const furtherAsks: readonly Ask[] = [
  ['threshold 0', { method: 'hybrid', context: true, threshold: 0 }],
  ['threshold 0 alone', { method: 'semantic', context: false, threshold: 0 }],
  ['weights', { method: 'hybrid', context: true, vectorWeight: 0.2, fulltextWeight: 0.9 }],
  ['weight of words 0', { method: 'hybrid', context: true, fulltextWeight: 0 }],
  [
    'as of',
    { method: 'hybrid', context: true, filter: { includeSuperseded: false, asOf: start + 100 * minute } },
  ],
  [
    'filter',
    {
      method: 'hybrid',
      context: true,
      filter: { includeSuperseded: false, eventFrom: Date.parse('2024-04-01') },
    },
  ],
  ['asc', { method: 'hybrid', context: true, order: 'asc' }],
  ['by time', { method: 'keyword', context: true, sortBy: 'eventTime' }],
];

describe.each(engines)('on %s, searches of talks and notes', (engine) => {
  it('searches of talks and notes rank, score and explain every memory as the golden rankings say, to the last digit', async () => {
    let now = start;
    const fixture = await newSearchFixture(engine, { now: () => now });
    try {
      const user = await fixture.newUser();
      const places = await store(fixture, user, () => (now += minute));
      const lines: string[] = [];
      for (const [i, query] of queries.entries()) {
        const isSpecial = i % 10 === 0 || special.includes(query);
        for (const [name, request] of [...asks, ...(isSpecial ? furtherAsks : [])]) {
          const response = await fixture.search(user, query, { ...request, limit: 20, explain: true });
          lines.push(`${name} | ${query} | ${lineOf(response, places)}`);
        }
        const { hits, total } = await fixture.services.search.conversations(user, query, 10);
        const found = hits.map(({ conversation, score }) => `${conversation.title}=${score}`);
        lines.push(
          `conversations | ${query} | ${total} | ${found.slice(0, shownMax).join(' ')} | ${digest(found)}`,
        );
      }
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden);
    } finally {
      await fixture.close();
    }
  });
});

/** @returns for each id of a memory its place in order of writing */
async function store(
  { services }: SearchFixture,
  user: User,
  tick: () => void,
): Promise<Map<string, number>> {
  const places = new Map<string, number>();
  const write = async (content: string, conversationId: string, eventTime?: number) => {
    tick();
    const { memory } = await services.memories.create(user, { content, eventTime }, { conversationId });
    places.set(memory.id, places.size);
  };
  for (const { id, sessions } of talks.conversations)
    for (const session of sessions) {
      const title = `${id} session ${session.number}`;
      const { record } = await services.conversations.create(user, { title });
      for (const turn of session.turns)
        await write(toContent(turn), record.id, Date.parse(session.startedAt));
    }
  for (const { note } of notes) await write(note, 'NEW');
  return places;
}

/**
 * The time that was read, relevance and its floor are in the response, and not in the lines: they say how memories rank. Nor are parts
 * of scores, which the explanation has as sentences, and the words of texts that are not cut.
 */
function lineOf(
  { hits, timeRead: _, bestRelevance: __, relevanceFloor: ___, ...response }: SearchOutcome,
  places: ReadonlyMap<string, number>,
): string {
  const shown = hits.slice(0, shownMax).map(({ memory, score }) => `${places.get(memory.id)}=${score}`);
  const whole = hits.map(({ memory, relevance: _, ...hit }) => ({
    place: places.get(memory.id),
    ...hit,
    highlights: memory.content.length > previewLengthMax ? hit.highlights : undefined,
    explanation: hit.explanation && { ...hit.explanation, parts: undefined },
  }));
  return `${response.method} ${response.total} | ${shown.join(' ')} | ${digest([whole, response])}`;
}

/** Stands for all of an answer: further hits, scores of arms, previews, explanations. */
function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}
