import type { EpochMs } from '../shared/time.ts';

export interface Topic {
  readonly id: string;
  /** As first written. */
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Live memories that carry it. */
  readonly memoryCount: number;
}

/** Topics are the same when only case, width or white space differ. */
export function normaliseTopicName(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');
}

/** Drops repetitions (by normalised name) and keeps the first spelling and the order. */
export function uniqueTopics(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const name of names) {
    const key = normaliseTopicName(name);
    if (key !== '' && !seen.has(key)) seen.set(key, name.trim());
  }
  return [...seen.values()];
}

/** Scripts that write without spaces give one word a character. */
const unspaced = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}]';
const wordPattern = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const accents = /[\u0300-\u036f]/g;

/** The words of a name as search compares them: without case and accents, each once. */
export function topicWords(name: string): string[] {
  const folded = normaliseTopicName(name).normalize('NFD').replace(accents, '').normalize('NFC');
  return [...new Set(folded.match(wordPattern) ?? [])];
}
