import { expect, it } from 'vitest';
import type { IndexReader } from '../ports.ts';
import { UserIndex } from '../rows/user-index.ts';
import type { SynonymTerm } from './synonym-terms.ts';
import { inVocabulary, VocabularyCache } from './vocabulary-cache.ts';

const words = ['tea', 'milk', 'sugar', 'rum'];
const near = (word: string): SynonymTerm => ({ word, term: word, number: words.indexOf(word) });
const lists = (...of: string[][]) => of.map((list) => list.map(near));

function vocabularyOf(known: readonly string[], before: () => void = () => undefined) {
  const asked: string[] = [];
  const among = async (terms: readonly string[]) => {
    asked.push(...terms);
    const found = terms.filter((term) => known.includes(term));
    before();
    return found;
  };
  return { asked, reader: { vocabulary: { among } } as unknown as IndexReader };
}

it('terms asked about are looked up once, until the index changes', async () => {
  const index = new UserIndex({ epoch: 1, space: 1 });
  const known = ['tea'];
  const { asked, reader } = vocabularyOf(known);
  const ask = async (...of: string[][]) =>
    (await inVocabulary(reader, index, lists(...of))).map((found, i) =>
      of[i].filter((_, t) => found[t] === 1),
    );
  expect(await ask(['tea', 'milk'], ['tea'])).toEqual([['tea'], ['tea']]);
  known.push('milk', 'rum');
  expect(await ask(['milk', 'rum'], ['sugar', 'tea'])).toEqual([['rum'], ['tea']]);
  expect(asked).toEqual(['tea', 'milk', 'rum', 'sugar']);
  index.apply([], 1);
  expect(await ask(['rum', 'milk', 'tea'])).toEqual([['rum', 'milk', 'tea']]);
});

it('an index that changes during a look-up is asked again, and nothing of the look-up is kept', async () => {
  const index = new UserIndex({ epoch: 1, space: 1 });
  const known = ['tea'];
  const { asked, reader } = vocabularyOf(known, () => {
    if (index.rev > 0) return;
    known.push('milk');
    index.apply([], 1);
  });
  const [found] = await inVocabulary(reader, index, lists(['tea', 'milk', 'rum']));
  expect([...found]).toEqual([1, 1, 0]);
  await inVocabulary(reader, index, lists(['tea']));
  expect(asked).toEqual(['tea', 'milk', 'rum', 'tea', 'milk', 'rum', 'tea']);
});

it('completions of unfinished words are cached until the index changes, for the words last asked about', () => {
  const known = new VocabularyCache();
  known.addCompletions('suga', ['sugar']);
  expect(known.completionsOf('suga')).toEqual(['sugar']);
  for (let i = 0; i < 128; i++) known.addCompletions(`word${i}`, []);
  expect(known.completionsOf('suga')).toBeUndefined();
  expect(known.completionsOf('word127')).toEqual([]);
  known.clear();
  expect(known.completionsOf('word127')).toBeUndefined();
});
