import type { ImmediateEmbedder } from '../../domain/embedding/embedder.ts';
import { similarityOf } from '../../domain/embedding/similarity.ts';
import { RecentMap } from '../../lib/collections.ts';
import { otherWork } from '../../lib/loop-time.ts';
import type { IndexReader, PlainKind } from '../ports.ts';
import { cosine, toInt8, toWholeQuery } from './quantize.ts';

/**
 * Vectors in each of two generations: 30 MB in all for usual facts and names, 80 MB for the longest texts.
 */
const keptMax = 32_768;
/** Maximum number of records to compare, the newest; older ones are found by words. */
const recordsMax = 20_000;
/** UTF-16 units of a text that are embedded: its subject is at its beginning. */
const lengthMax = 400;
const word = /\p{L}+/gu;
/** Texts compared between looks at the clock, and ms after which the event loop gets a turn. */
const atOnce = 16;
const turnMs = 5;

/**
 * Compares short texts (facts, titles, names of topics) semantically. Vectors are made on demand, in
 * 6-9 µs each, and cached by text: none is stored, so that none must follow a change of text or model.
 */
export class ShortTexts {
  readonly #embedder: ImmediateEmbedder;
  readonly #isKnown: (word: string) => boolean;
  readonly #known = new RecentMap<string, Int8Array>(keptMax);

  /**
   * @param embedder fast enough to embed thousands of texts during a request
   * @param isKnown whether the embedder was trained on a word
   */
  constructor(embedder: ImmediateEmbedder, isKnown: (word: string) => boolean) {
    this.#embedder = embedder;
    this.#isKnown = isKnown;
  }

  /** Whether similarities to a query say anything: pieces of words that no model knows are noise. */
  reads(query: string): boolean {
    return (query.toLowerCase().match(word) ?? []).some(this.#isKnown);
  }

  /** The calibrated similarity, 0 to 1, of `text` and each of the others, in order. */
  async similarities(text: string, others: readonly string[]): Promise<Float64Array> {
    const { relatedCosine } = this.#embedder;
    const query = toWholeQuery(this.#embedder.embedNow(text));
    const found = new Float64Array(others.length);
    let began = performance.now();
    for (let i = 0; i < others.length; i++) {
      if (i % atOnce === 0 && performance.now() - began > turnMs) {
        await otherWork();
        began = performance.now();
      }
      const other = this.#vectorOf(others[i].slice(0, lengthMax));
      found[i] = similarityOf(cosine(query, other), relatedCosine);
    }
    return found;
  }

  #vectorOf(text: string): Int8Array {
    const known = this.#known.get(text);
    if (known) return known;
    const vector = toInt8(this.#embedder.embedNow(text));
    this.#known.set(text, vector);
    return vector;
  }
}

/** Similarity of a record to the query. */
export interface NearRecord {
  readonly id: string;
  readonly doc: number;
  readonly similarity: number;
}

/** Similarity of the newest records of a kind to a query; empty without `shortTexts`, or if it cannot read the query. */
export async function nearRecords(
  shortTexts: ShortTexts | undefined,
  reader: Pick<IndexReader, 'recordTexts'>,
  { kind, query }: { readonly kind: PlainKind; readonly query: string },
): Promise<NearRecord[]> {
  if (!shortTexts?.reads(query)) return [];
  const records = await reader.recordTexts(kind, recordsMax);
  const similarities = await shortTexts.similarities(
    query,
    records.map(({ text }) => text),
  );
  return records.map(({ id, doc }, i) => ({ id, doc, similarity: similarities[i] }));
}
