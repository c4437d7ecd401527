import type { Memory } from '../../../domain/memories/memory.ts';
import type { MemoryReader } from '../../../domain/memories/memory-store.ts';
import { otherWork } from '../../../lib/loop-time.ts';
import type { Candidates } from '../../candidates.ts';
import type { LiveTerm } from './live-terms.ts';
import { phraseTest, type QuotedPhrase } from './quoted-phrases.ts';

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
