import type { ImmediateEmbedder } from '../../domain/embedding/embedder.ts';
import { similarityOf } from '../../domain/embedding/similarity.ts';
import { otherWork } from '../../lib/loop-time.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { IndexReader, PlainKind } from '../ports.ts';
import { cosine, toInt8, toWholeQuery } from './quantize.ts';

/** Vectors kept in a generation of two: of usual facts and names 30 MB in all, of the longest texts 80. */
const keptMax = 32_768;
/** Records compared, the newest; words find those beyond. */
const recordsMax = 20_000;
/** UTF-16 units of a text that count: what it is about stands at its beginning. */
const lengthMax = 400;
/** Texts compared before looking at the clock, and ms after which others get their turn. */
const atOnce = 16;
const turnMs = 5;

/**
 * Compares texts of a few words (facts, titles, names of topics) by meaning. Their vectors are made when they are asked
 * about, 6-9 µs each, and kept by text: nothing is stored, so nothing has to follow when texts or models change.
 */
export class ShortTexts {
  readonly #embedder: ImmediateEmbedder;
  readonly #known = new RecentMap<string, Int8Array>(keptMax);

  /** @param embedder so fast that thousands of texts can be embedded while someone waits */
  constructor(embedder: ImmediateEmbedder) {
    this.#embedder = embedder;
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

/** How similar a record is to what was asked. */
export interface NearRecord {
  readonly id: string;
  readonly doc: number;
  readonly similarity: number;
}

/** How near the newest records of a kind are to a query; none without what compares them. */
export async function nearRecords(
  shortTexts: ShortTexts | undefined,
  reader: Pick<IndexReader, 'recordTexts'>,
  { kind, query }: { readonly kind: PlainKind; readonly query: string },
): Promise<NearRecord[]> {
  if (!shortTexts) return [];
  const records = await reader.recordTexts(kind, recordsMax);
  const similarities = await shortTexts.similarities(
    query,
    records.map(({ text }) => text),
  );
  return records.map(({ id, doc }, i) => ({ id, doc, similarity: similarities[i] }));
}
