import type { Memory } from '../../../domain/memories/memory.ts';
import type { MemoryReader } from '../../../domain/memories/memory-store.ts';
import { otherWork } from '../../../lib/loop-time.ts';
import { charClass, classAt } from '../../../search-index/analysis/char-class.ts';
import { fold } from '../../../search-index/analysis/fold.ts';
import type { AnalyzeQuery } from '../../../search-index/ports.ts';
import type { Candidates } from '../../candidates.ts';
import type { LiveTerm } from './live-terms.ts';

export interface MatchedPhrase {
  readonly text: string;
  /** False if no memory that passes the filter contains the phrase: its words then count as plain words. */
  readonly matched: boolean;
}

export interface MatchedPhrases {
  readonly phrases: readonly MatchedPhrase[];
  /** Rows that contain every matched phrase; undefined if no phrase is matched. */
  readonly rows: ReadonlySet<number> | undefined;
}

/** Memories read for one phrase: the newest of those with all its words. */
const readMax = 2000;
const readAtOnce = 200;

interface PhraseInput {
  readonly phrases: readonly QuotedPhrase[];
  readonly terms: readonly LiveTerm[];
  readonly candidates: Candidates;
  readonly memories: MemoryReader;
}

/**
 * Each phrase narrows the rows that matched the phrases
 * before it; a phrase that would leave no row is ignored.
 */
export async function matchPhrases({
  phrases,
  terms,
  candidates,
  memories,
}: PhraseInput): Promise<MatchedPhrases> {
  const rowsOf = new Map(terms.map(({ term, rows }) => [term, rows]));
  const { seqs, docs } = candidates.index.columns;
  let matched: ReadonlySet<number> | undefined;
  const found: MatchedPhrase[] = [];
  for (const phrase of phrases) {
    const lists = phrase.terms.flatMap((term) => {
      const rows = rowsOf.get(term);
      return rows ? [rows] : [];
    });
    const rows = inAll(lists)
      .filter((row) => candidates.passes(row) && (matched?.has(row) ?? true))
      .sort((a, b) => seqs[b] - seqs[a])
      .slice(0, readMax);
    const test = phraseTest(phrase.text);
    const matching = new Set<number>();
    for (let i = 0; i < rows.length; i += readAtOnce) {
      const slice = rows.slice(i, i + readAtOnce);
      const rowOfDoc = new Map(slice.map((row) => [docs[row], row]));
      for (const memory of await memories.findByDocs([...rowOfDoc.keys()])) {
        const row = rowOfDoc.get(memory.doc);
        if (row !== undefined && textsOf(memory).some(test)) matching.add(row);
      }
      await otherWork();
    }
    found.push({ text: phrase.text, matched: matching.size > 0 });
    if (matching.size > 0) matched = matching;
  }
  return { phrases: found, rows: matched };
}

function textsOf({ content, name, topics }: Memory): string[] {
  return name === null ? [content, ...topics] : [content, name, ...topics];
}

/** Numbers contained in each of the ascending lists. */
function inAll(lists: readonly Int32Array[]): number[] {
  const [shortest = new Int32Array(), ...others] = [...lists].sort((a, b) => a.length - b.length);
  const sets = others.map((list) => new Set(list));
  return Array.from(shortest).filter((row) => sets.every((set) => set.has(row)));
}

/** Further phrases of a query count as plain words. */
const phrasesMax = 8;

/** Words in quotation marks, which a memory must contain literally. */
export interface QuotedPhrase {
  readonly text: string;
  /** Terms of the phrase, at least one: every memory that contains the phrase has them. */
  readonly terms: readonly string[];
}

/** Marks that open after a letter or close before one are inches, code or typos, and ignored: `5" and 6"`. */
const quoted =
  /(?<![\p{L}\p{N}])(?:"([^"]+)"|\u201c([^\u201c\u201d]+)\u201d|\u00ab([^\u00ab\u00bb]+)\u00bb)(?![\p{L}\p{N}])/gu;
const opening = /["\u201c\u00ab]/;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** The quoted phrases that have terms, in order, each once. */
export function quotedPhrases(query: string, analyzeQuery: AnalyzeQuery): QuotedPhrase[] {
  if (!opening.test(query)) return [];
  const phrases = new Map<string, QuotedPhrase>();
  for (const [, straight, curly, pointed] of query.matchAll(quoted)) {
    const text = (straight ?? curly ?? pointed).trim();
    const terms = analyzeQuery(text);
    if (terms.length > 0 && phrases.size < phrasesMax) phrases.set(wordsIn(text), { text, terms });
  }
  return [...phrases.values()];
}

/** The text with a line in place of each quoted character, so that no words are found there. */
export function maskQuoted(text: string): string {
  if (!opening.test(text)) return text;
  return text.replace(quoted, (found) => found[0] + '_'.repeat(found.length - 2) + found.at(-1));
}

/** Words in their order, in lower case and folded, with one space around each. */
function wordsIn(text: string): string {
  return ` ${(fold(text).toLowerCase().match(wordPattern) ?? []).join(' ')} `;
}

function isDense(text: string, at: number): boolean {
  return classAt(text, at) === charClass.dense;
}

/**
 * Returns a test whether a text contains the phrase word for word, stop words included. Case, accents
 * and punctuation do not count. In scripts without spaces a phrase may begin and end anywhere.
 */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsIn(phrase);
  const from = isDense(words, 1) ? 1 : 0;
  const last = [...words.trimEnd()].at(-1) ?? '';
  const requested = words.slice(from, isDense(last, 0) ? -1 : undefined);
  return (text) => wordsIn(text).includes(requested);
}
