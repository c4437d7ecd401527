import { join } from 'node:path';
import { loadModels } from '../../src/embedding/load-models.ts';
import type { Corpus } from '../http/corpus.ts';
import { FloorStore } from '../http/floor-store.ts';

const bitsPerWord = 32;
const kept = 20;
const perInsert = 5000;

/**
 * Lower bound of a hybrid search: a comparison of every vector
 * with one bit per dimension, and the best 20 of FTS5.
 */
export interface Floor {
  search(query: string): number;
  close(): void;
}

export function openFloor(folder: string, { memories }: Corpus): Floor {
  const store = new FloorStore(join(folder, 'floor.db'));
  for (let from = 0; from < memories.length; from += perInsert)
    store.createAll(
      memories
        .slice(from, from + perInsert)
        .map((memory) => ({ ...memory, conversationId: `${memory.conversation}` })),
    );
  store.optimize();
  const embedder = loadModels({ embedder: 'static' })?.bundled;
  if (!embedder) throw new Error('hollow: no embedder');
  const codes = memories.map(({ content }) => signsOf(embedder.embedNow(content)));
  const words = codes[0].length;
  const all = new Int32Array(codes.length * words);
  for (const [i, code] of codes.entries()) all.set(code, i * words);
  const vectors = new Map<string, Int32Array>();
  return {
    search: (query) => {
      // Encoding of a query is measured separately; here it happens once, in the warm-up round.
      let code = vectors.get(query);
      if (!code) {
        code = signsOf(embedder.embedNow(query));
        vectors.set(query, code);
      }
      return nearest(all, code).length + store.search(query).length;
    },
    close: () => store.close(),
  };
}

function signsOf(vector: Float32Array): Int32Array {
  const code = new Int32Array(Math.ceil(vector.length / bitsPerWord));
  for (let i = 0; i < vector.length; i++) if (vector[i] >= 0) code[i >> 5] |= 1 << (i & 31);
  return code;
}

/** Rows with the fewest different signs. */
function nearest(codes: Int32Array, query: Int32Array): number[] {
  const words = query.length;
  const distances: number[] = [];
  const rows: number[] = [];
  let most = Number.POSITIVE_INFINITY;
  for (let row = 0, from = 0; from < codes.length; row++, from += words) {
    let distance = 0;
    for (let word = 0; word < words; word++) distance += onesIn(codes[from + word] ^ query[word]);
    if (distance >= most) continue;
    let at = Math.min(distances.length, kept - 1);
    for (; at > 0 && distances[at - 1] > distance; at--) {
      distances[at] = distances[at - 1];
      rows[at] = rows[at - 1];
    }
    distances[at] = distance;
    rows[at] = row;
    if (distances.length === kept) most = distances[kept - 1];
  }
  return rows;
}

function onesIn(bits: number): number {
  let ones = bits - ((bits >>> 1) & 0x55555555);
  ones = (ones & 0x33333333) + ((ones >>> 2) & 0x33333333);
  return Math.imul((ones + (ones >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
