import { type Random, randomFrom } from '../../test/support/random.ts';

/** One generated memory; `conversation` counts from 0 within its corpus. */
export interface GeneratedMemory {
  conversation: number;
  content: string;
  memoryType: 'episodic' | 'semantic' | 'procedural';
  topics: string[];
  eventTime: string;
}

export interface Corpus {
  memories: GeneratedMemory[];
  /** Queries of 3 to 7 words, each drawn from one memory. */
  queries(count: number, seed: number): string[];
}

const madeWordsCount = 30_000;
/** Shift of the Zipf-Mandelbrot law: the commonest word is in about a fifth of the memories, as in talk. */
const vocabularyShift = 10;
const turnsPerConversation = 12;
const topicNames = 200;
const firstEventTime = Date.UTC(2023, 0, 1);
const dayMs = 86_400_000;

/** Words from the commonest to the rarest. */
export type Words = readonly string[];

const madeWords: Words = makeWords(randomFrom(20_230_101));

/**
 * Generates `size` memories in conversations of 12; texts are 8 to 30 of
 * the words, or come from a function. Equal seeds give equal texts.
 */
export function generateCorpus(
  size: number,
  seed: number,
  texts: Words | ((random: Random) => string) = madeWords,
): Corpus {
  const random = randomFrom(seed);
  const textOf = typeof texts === 'function' ? texts : (chosenBy: Random) => generateText(chosenBy, texts);
  const memories = Array.from({ length: size }, (_, index) => generateMemory(random, index, textOf));
  return {
    memories,
    queries: (count, querySeed) => {
      const choice = randomFrom(querySeed);
      return Array.from({ length: count }, () => {
        const kept = new Set(choice.pick(memories).content.slice(0, -1).split(' '));
        return choice.sample([...kept], choice.int(3, 7)).join(' ');
      });
    },
  };
}

/** Text for a measured create, different for each call with the same random source. */
export function generateText(random: Random, words = madeWords): string {
  const picked = Array.from({ length: random.int(8, 30) }, () => pickWord(random, words));
  return `${picked.join(' ')}.`;
}

function generateMemory(random: Random, index: number, textOf: (random: Random) => string): GeneratedMemory {
  const conversation = Math.floor(index / turnsPerConversation);
  const topics = new Set(
    Array.from({ length: random.int(0, 2) }, () => `topic ${random.int(1, topicNames)}`),
  );
  return {
    conversation,
    content: textOf(random),
    memoryType: random.chance(0.8) ? 'episodic' : random.pick(['semantic', 'procedural']),
    topics: [...topics],
    eventTime: new Date(firstEventTime + (conversation % 900) * dayMs).toISOString(),
  };
}

/** Draws a word by the Zipf-Mandelbrot law, through the inverse of its (continuous) distribution. */
function pickWord(random: Random, words: Words): string {
  const span = Math.log((words.length + vocabularyShift) / vocabularyShift);
  const rank = Math.floor(vocabularyShift * Math.exp(random.float() * span) - vocabularyShift);
  return words[Math.min(rank, words.length - 1)] ?? '';
}

function makeWords(random: Random): string[] {
  const consonants = [
    'b',
    'd',
    'f',
    'g',
    'h',
    'k',
    'l',
    'm',
    'n',
    'p',
    'r',
    's',
    't',
    'v',
    'br',
    'gl',
    'st',
    'tr',
  ];
  const vowels = ['a', 'e', 'i', 'o', 'u', 'ai', 'ou'];
  const words = new Set<string>();
  while (words.size < madeWordsCount) {
    // The ending, a vowel and "k", is removed by no English stemmer, so both engines index one term per word.
    const syllables = Array.from(
      { length: random.int(1, 3) },
      () => random.pick(consonants) + random.pick(vowels),
    );
    words.add(`${syllables.join('')}k`);
  }
  return [...words];
}
