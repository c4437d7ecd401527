import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, isWithinOneEdit } from '../../../lib/names.ts';
import { completedRoots } from './expand-query.ts';
import { edits1, rootsOfEdits1, typoShape, typosAllowed, typosBetween } from './typos.ts';

const letter = fc.constantFrom(...'абвгдежзик');
const wordOf = (minLength: number) =>
  fc.array(letter, { minLength, maxLength: 14 }).map((all) => all.join(''));
const edit = fc.record({ kind: fc.nat(3), at: fc.nat(100), letter });

function typo(
  word: string,
  { kind, at, letter: other }: { kind: number; at: number; letter: string },
): string {
  const i = at % word.length;
  const [head, tail] = [word.slice(0, i), word.slice(i)];
  if (kind === 0) return head + tail.slice(1);
  if (kind === 1) return head + other + tail;
  if (kind === 2) return head + other + tail.slice(1);
  return head + (tail[1] ?? '') + tail[0] + tail.slice(2);
}

describe('typos', () => {
  it('typos are counted with swapped neighbours as one', () => {
    for (const [a, b, distance] of [
      ['berlin', 'brelin', 1],
      ['berlin', 'berln', 1],
      ['berlin', 'berlino', 1],
      ['berlin', 'merlin', 1],
      ['berlin', 'elrbin', 3],
      ['', 'ab', 2],
      ['same', 'same', 0],
    ] as const) {
      expect([a, b, editDistance(a, b, 2)]).toEqual([a, b, distance]);
    }
  });

  it('typos of distance one are found in one pass', () => {
    const short = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((all) => all.join(''));
    fc.assert(
      fc.property(short, short, (a, b) => isWithinOneEdit(a, b) === editDistance(a, b, 1) <= 1),
      { numRuns: 3000 },
    );
  });

  it('typos are allowed by length: none below 5 letters, two from 9', () => {
    expect(['wolf', 'wolfs', 'kubernet', 'kubernete'].map(typosAllowed)).toEqual([0, 1, 1, 2]);
  });

  it.each([1, 2] as const)(
    'a term %i typo(s) away has the shape that is asked for and is accepted',
    (typos) => {
      fc.assert(
        fc.property(
          wordOf(typos === 1 ? 5 : 9),
          fc.array(edit, { minLength: typos, maxLength: typos }),
          (term, edits) => {
            const typed = edits.reduce(typo, term);
            if (editDistance(typed, term, typos) > typos) return;
            const { beginnings, middles, ends, lengthMin, lengthMax } = typoShape(typed, typos);
            const shaped =
              beginnings.some((piece) => term.startsWith(piece)) ||
              middles.some((piece) => term.includes(piece)) ||
              ends.some((piece) => term.endsWith(piece));
            expect(shaped && term.length >= lengthMin && term.length <= lengthMax).toBe(true);
            expect(typosBetween(typed, typos)(term)).toBeLessThanOrEqual(typos);
          },
        ),
        { numRuns: 2000 },
      );
    },
  );

  it('typos of an ASCII word are all tried: each is at distance 1 and none is left out', () => {
    const others = edits1('berlin');
    for (const other of others) expect(editDistance('berlin', other, 2)).toBe(1);
    expect(others.size).toBe(25 * 6 + (26 * 7 - 6) + 6 + 5);
  });

  it('typos are compared by stems, and common words are left alone', () => {
    expect(rootsOfEdits1('runnign')).toContain('run');
    expect(rootsOfEdits1('abuot')).toEqual([]);
    expect(rootsOfEdits1('диваен')).toBeUndefined();
  });
});

describe('completed roots', () => {
  it('completed roots are stems of longer words that the typed letters hide', () => {
    expect(completedRoots('runnin')).toContain('run');
    expect(completedRoots('hopin')).toContain('hope');
    expect(completedRoots('study')).not.toContain('study');
    expect(completedRoots('kuber')).not.toContain('kuber');
  });
});
