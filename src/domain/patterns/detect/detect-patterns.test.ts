import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../shared/time.ts';
import { detectPatterns } from './detect-patterns.ts';
import type { Source, SourceFact } from './source.ts';

const start = Date.parse('2026-01-05T19:00:00Z');

const memory = (content: string, day = 0, facts: readonly SourceFact[] = []): Source => ({
  id: `${content} ${day}`,
  content,
  at: start + day * DAY_MS,
  conversationId: String(day),
  topics: [],
  role: null,
  isPast: false,
  facts,
});

const fact = (subject: string, predicate: string, object: string): SourceFact => ({
  subject,
  predicate,
  object,
  isNegated: false,
});

async function namesOf(sources: readonly Source[], type: string): Promise<string[]> {
  const found = await detectPatterns(sources);
  return found.filter((one) => one.type === type).map(({ name }) => name);
}

describe('what is no pattern', () => {
  it('a sentence whose time is in another thought than its beginning is no habit', async () => {
    const said = [
      "I find it grey, but she's there every month for her mam.",
      'I find it grey but there every month.',
    ];
    expect(
      await namesOf(
        said.map((text) => memory(text)),
        'habit',
      ),
    ).toEqual([]);
    const daily = memory('Walking 40 minutes with Pelle every morning.');
    expect(await namesOf([daily], 'habit')).toEqual(['Walking 40 minutes with Pelle every morning']);
  });

  it('a time of day is a pattern after four weeks, not after one', async () => {
    const days = (count: number, every: number) =>
      Array.from({ length: count }, (_, i) => memory('Fed the cat.', i * every));
    expect(await namesOf(days(7, 1), 'temporal')).toEqual([]);
    expect(await namesOf(days(6, 7), 'temporal')).toEqual([
      'Writes in the evening (UTC)',
      'Writes on Mondays',
    ]);
  });

  it('a time that three of four days have is not said to be that of most', async () => {
    const at = (count: number, hours: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...memory('Fed the cat.', i * 8 + hours),
        at: start + (i * 8 + hours) * DAY_MS + hours * 3_600_000 * 12,
      }));
    expect(await namesOf([...at(9, 0), ...at(3, 1)], 'temporal')).toEqual([]);
    expect(await namesOf([...at(10, 0), ...at(2, 1)], 'temporal')).toEqual(['Writes in the evening (UTC)']);
  });

  it.each([
    ['habit', 'I swam across half of Bohinj and ate cake every day.'],
    ['habit', 'Lost property open only on Wednesdays.'],
    ['rule', 'Never take that away.'],
    ['rule', 'nobody needs a text before six'],
    ['preference', 'I like the green half.'],
  ])('what was once, what is said of a place and what names nothing is no %s: %s', async (type, text) => {
    expect(await namesOf([memory(text)], type)).toEqual([]);
  });

  it.each([
    ['habit', 'Jonas rehearses with the fiddle club on Wednesdays.'],
    ['rule', 'Never restart it between 23:50 and 00:10.'],
    ['rule', 'nobody touches prod on a Friday'],
    ['preference', 'I like the mountains in winter.'],
  ])('what is near to that and true stays a %s: %s', async (type, text) => {
    expect(await namesOf([memory(text)], type)).toHaveLength(1);
  });

  it('a fact of a whole kind, or of a part of what was said, is no preference, and one of a named owner is', async () => {
    const facts = [
      fact('Landladies', 'prefer', 'certain tenants'),
      fact('Levan', 'like', 'the green half'),
      fact('The caretaker', 'hates', 'holes'),
    ];
    expect(await namesOf([memory('Said.', 0, facts)], 'preference')).toEqual(['Dislikes holes']);
  });

  it('a fact about this man is no preference, and a time is no tool', async () => {
    const facts = [
      fact('Levan', 'likes', 'this man'),
      fact('Levan', 'likes', 'mushrooms'),
      fact('monthly report', 'runs on', 'the 2nd'),
      fact('monthly report', 'runs on', 'Debian'),
    ];
    const sources = [memory('Said.', 0, facts)];
    expect(await namesOf(sources, 'preference')).toEqual(['Likes mushrooms']);
    expect(await namesOf(sources, 'tool')).toEqual(['Uses Debian']);
  });
});
