import { readFileSync } from 'node:fs';
import { type Random, randomFrom } from '../../test/support/random.ts';

/** A note and a question that asks for it with none of its words. */
export interface AskedNote {
  about: 'work' | 'life';
  note: string;
  question: string;
}

export const halves = ['development', 'held-out'] as const;
export type Half = (typeof halves)[number];

export interface NoteSet {
  asked: Readonly<Record<Half, readonly AskedNote[]>>;
  /** Other notes of the same user; no text twice. */
  others: readonly string[];
}

interface Grammar {
  lists: Record<string, string[]>;
  work: string[];
  life: string[];
}

const othersCount = 1000;
const othersSeed = 1000;

export function readNoteSet(): NoteSet {
  return {
    asked: { development: read('development.json'), 'held-out': read('held-out.json') },
    others: makeOthers(read('others.json')),
  };
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;
}

/** Generates notes about work and life by turns, each sentence about equally often. */
function makeOthers({ lists, work, life }: Grammar): string[] {
  const random = randomFrom(othersSeed);
  const made = new Set<string>();
  for (let turn = 0; made.size < othersCount; turn += 1) {
    const sentences = turn % 2 === 0 ? work : life;
    const sentence = sentences[(turn >> 1) % sentences.length] ?? '';
    made.add(fill(sentence, lists, random));
  }
  return [...made];
}

/** Fills each gap from its list, gaps of one sentence with different words. */
function fill(sentence: string, lists: Record<string, string[]>, random: Random): string {
  const used = new Set<string>();
  const filled = sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const words = lists[name];
    if (!words) throw new Error(`no list "${name}" for "${sentence}"`);
    const word = random.pick(words.filter((candidate) => !used.has(candidate)));
    used.add(word);
    return word;
  });
  return `${filled.charAt(0).toUpperCase()}${filled.slice(1)}`;
}
