import { describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../shared/time.ts';
import { type DetectBounds, detectBounds, detectPatterns, ReadSources } from './detect-patterns.ts';
import type { SourceMemory } from './found-pattern.ts';

const start = Date.parse('2026-01-05T19:00:00Z');

const memory = (content: string, day = 0): SourceMemory => ({
  id: `${content} ${day}`,
  content,
  at: start + day * DAY_MS,
  conversationId: String(day),
  topics: [],
  role: null,
  isPast: false,
});

async function foundIn(sources: readonly SourceMemory[], bounds: Partial<DetectBounds> = {}) {
  const read = new ReadSources({ ...detectBounds, ...bounds });
  return { read: await read.read(sources), found: await detectPatterns(read) };
}

async function namesOf(sources: readonly SourceMemory[], type: string): Promise<string[]> {
  const { found } = await foundIn(sources);
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
});

describe('the work of a detection', () => {
  const claims = (count: number, say: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => memory(say(i), i));

  async function comparisons(sources: readonly SourceMemory[]): Promise<number> {
    const has = vi.spyOn(Set.prototype, 'has');
    await foundIn(sources);
    const { length } = has.mock.calls;
    has.mockRestore();
    return length;
  }

  it.each([
    ['preferences over something else', (i: number) => `I prefer red tool${i} over blue thing${i}.`],
    ['corrections', (i: number) => `Use red tool${i} rather than blue thing${i}.`],
    [
      'rules and their opposites',
      (i: number) => `${i % 2 ? 'Never' : 'Always'} deploy red tool${i} on place${i}.`,
    ],
  ])('twice as many claims cost twice as many comparisons, not four times: %s', async (_, say) => {
    const [some, twice] = [await comparisons(claims(400, say)), await comparisons(claims(800, say))];
    expect(some).toBeGreaterThan(400);
    expect(twice / some).toBeLessThan(2.5);
  });

  it('a detection reads the last memories up to its bounds, and says how many', async () => {
    const sources = claims(10, (i) => `I prefer tool${i} over thing${i}.`);
    expect(await foundIn(sources, { claims: 3 })).toMatchObject({ read: 3, found: { length: 3 } });
    expect(await foundIn(sources, { characters: 60 })).toMatchObject({ read: 3 });
    expect(await foundIn(sources, { ms: 0 })).toMatchObject({ read: 0, found: [] });
    expect(await foundIn(sources)).toMatchObject({ read: 10, found: { length: 10 } });
  });
});
