import Database from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import { loadBundled } from '../../src/embedding/load-models.ts';
import { cosine, toInt8, toWholeQuery } from '../../src/search-index/vectors/quantize.ts';
import { VectorCodes, WholeVectors } from '../../src/search-index/vectors/vector-codes.ts';
import { ExactVectors, recallOf } from './brute-force.ts';
import type { Texts } from './texts.ts';

const first = 20;
const rescored = 400;
/** Number of first vectors whose mean is the centre, as in the service. */
const centredOn = 2000;

export interface MeasuredWay {
  readonly way: string;
  readonly recall: number;
  readonly ms: number;
  readonly toBruteForce: number;
}

/** Measures the extension's ways to search, over the same vectors in memory; a file would only be slower. */
export function measureSqliteVec({ memories, queries }: Texts): MeasuredWay[] {
  const { bundled } = loadBundled();
  const exact = new ExactVectors(memories.map((text) => bundled.embedNow(text)));
  const dimension = exact.at(0).length;
  const db = new Database(':memory:');
  db.loadExtension(getLoadablePath());
  db.exec(`CREATE VIRTUAL TABLE v USING vec0(
    whole float[${dimension}] distance_metric=cosine,
    bytes int8[${dimension}] distance_metric=cosine,
    bits bit[${dimension}])`);
  const insert = db.prepare(
    'INSERT INTO v (rowid, whole, bytes, bits) VALUES (?, ?, vec_int8(?), vec_quantize_binary(?))',
  );
  db.transaction(() => {
    for (let i = 0; i < exact.size; i++) {
      const vector = Buffer.from(exact.at(i).slice().buffer);
      insert.run(BigInt(i), vector, Buffer.from(toInt8(exact.at(i)).buffer), vector);
    }
  })();
  const search = (column: string, value: string) =>
    db.prepare<[Buffer, number]>(`SELECT rowid FROM v WHERE ${column} MATCH ${value} AND k = ?`).pluck();
  const whole = search('whole', '?');
  const bytes = search('bytes', 'vec_int8(?)');
  const bits = search('bits', 'vec_quantize_binary(?)');
  const of = (vector: Float32Array) => Buffer.from(vector.slice().buffer);
  const ways: { name: string; run: (query: Float32Array) => number[] }[] = [
    { name: 'float', run: (query) => whole.all(of(query), first) as number[] },
    { name: 'int8', run: (query) => bytes.all(Buffer.from(toInt8(query).buffer), first) as number[] },
    {
      name: `bit, ${rescored} rescored`,
      run: (query) => {
        const dotOf = (i: number) => exact.at(i).reduce((sum, value, k) => sum + value * query[k], 0);
        const near = bits.all(of(query), rescored) as number[];
        const scored = near.map((i) => ({ i, cosine: dotOf(i) })).sort((a, b) => b.cosine - a.cosine);
        return scored.slice(0, first).map(({ i }) => i);
      },
    },
  ];
  ways.push(
    { name: 'our vectors, whole', run: searchWhole(exact) },
    { name: `our codes, ${rescored} rescored`, run: searchCodes(exact) },
  );
  const sums = ways.map(() => ({ kept: 0, requested: 0, ms: 0 }));
  let bruteForce = 0;
  for (const text of queries) {
    const query = bundled.embedNow(text);
    let started = performance.now();
    const cosines = exact.cosines(query);
    bruteForce += performance.now() - started;
    for (const [w, { run }] of ways.entries()) {
      started = performance.now();
      const found = run(query);
      sums[w].ms += performance.now() - started;
      const { kept, requested } = recallOf(cosines, () => true, found, first);
      sums[w].kept += kept;
      sums[w].requested += requested;
    }
  }
  db.close();
  return sums.map(({ kept, requested, ms }, w) => ({
    way: ways[w].name,
    recall: kept / requested,
    ms: ms / queries.length,
    toBruteForce: ms / bruteForce,
  }));
}

/** Brute force over our vectors of one byte per dimension. */
function searchWhole(exact: ExactVectors): (query: Float32Array) => number[] {
  const whole = new WholeVectors(exact.at(0).length);
  for (let i = 0; i < exact.size; i++) whole.add(i, toInt8(exact.at(i)));
  return (query) => firstOf(whole.nearest(query, { count: rescored, isSeen: () => true }));
}

/**
 * Our codes over the same vectors, rescored from bytes in memory, because the other ways are in memory too.
 */
function searchCodes(exact: ExactVectors): (query: Float32Array) => number[] {
  const vectors = Array.from({ length: exact.size }, (_, i) => toInt8(exact.at(i)));
  const centre = exact.at(0).map((_, k) => {
    let sum = 0;
    for (let i = 0; i < Math.min(centredOn, exact.size); i++) sum += exact.at(i)[k];
    return sum / Math.min(centredOn, exact.size);
  });
  const codes = new VectorCodes(centre.length, centre);
  for (const [i, vector] of vectors.entries()) codes.add(i, vector);
  return (query) => {
    const whole = toWholeQuery(query);
    const near = codes.nearest(query, { count: rescored, isSeen: () => true });
    return firstOf(new Map(Array.from(near.keys(), (row) => [row, cosine(whole, vectors[row])])));
  };
}

function firstOf(cosines: ReadonlyMap<number, number>): number[] {
  const nearest = [...cosines].sort((a, b) => b[1] - a[1]).slice(0, first);
  return nearest.map(([row]) => row);
}
