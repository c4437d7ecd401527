import type { EpochMs } from '../shared/time.ts';

export interface Topic {
  readonly id: string;
  /** The name as first written. */
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Number of live memories that have it. */
  readonly memoryCount: number;
}

/**
 * Topics are the same when only case, width or white space differ. Case as Unicode folds it in full: `Straße` is
 * `STRASSE`; and `İ` is `i`, as no language is known here that keeps them apart.
 */
export function normaliseTopicName(name: string): string {
  return foldCase(name.normalize('NFKC')).trim().replace(/\s+/g, ' ');
}

function foldCase(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').normalize('NFC');
}

const beyondAscii = /[\u0080-\uffff]/;

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
