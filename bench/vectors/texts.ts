import { type Random, randomFrom } from '../../test/support/random.ts';
import { generateCorpus } from '../http/corpus.ts';
import { englishWords } from '../http/english-words.ts';
import { readNoteSet } from '../notes/note-set.ts';

export interface Texts {
  readonly memories: readonly string[];
  readonly queries: readonly string[];
}

/**
 * Texts and queries of one user with many subjects. Half are random words with
 * the distribution of the other benchmarks; half join the beginning of one
 * written note and the end of another. Equal seeds give equal texts.
 */
export function generateTexts(size: number, queries: number, seed: number): Texts {
  const random = randomFrom(seed);
  const words = generateCorpus(Math.ceil(size / 2), seed, englishWords());
  const { asked, others } = readNoteSet();
  const notes = [...others, ...asked.development.map(({ note }) => note)];
  const questions = asked.development.map(({ question }) => question);
  const ofWords = words.queries(Math.ceil(queries / 2), seed + 1);
  return {
    memories: Array.from({ length: size }, (_, i) =>
      i % 2 === 0 ? words.memories[i / 2].content : joined(notes, random),
    ),
    queries: Array.from({ length: queries }, (_, i) => {
      if (i % 2 === 0) return ofWords[i / 2];
      return questions[(i - 1) / 2] ?? joined(notes, random);
    }),
  };
}

function joined(notes: readonly string[], random: Random): string {
  const first = random.pick(notes).split(' ');
  const second = random.pick(notes).split(' ');
  const begin = first.slice(0, random.int(2, first.length));
  return [...begin, ...second.slice(random.int(0, second.length - 2))].join(' ');
}
