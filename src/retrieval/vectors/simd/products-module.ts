import {
  advance,
  type Code,
  get,
  highToInt16,
  isBelow,
  kind,
  load128,
  lowToInt16,
  plus,
  repeated,
  set,
  simd,
  storeI32,
  type WasmFunction,
} from '../../../lib/wasm/assemble.ts';

const [vectors, vectorsEnd, query, queryEnd, products] = [0, 1, 2, 3, 4];
const [at, sums, vector] = [5, 6, 7];

const noSums: Code = [...simd(12), ...Array(16).fill(0)];
const lane = (index: number) => [...simd(27), index];
const multiplyPairs = simd(186);
const addLanes = simd(174);

const multiplySixteen = [
  ...[...get(vectors), ...load128(0), ...set(vector)],
  ...get(sums),
  ...[...get(vector), ...lowToInt16, ...get(at), ...load128(0), ...multiplyPairs, ...addLanes],
  ...[...get(vector), ...highToInt16, ...get(at), ...load128(16), ...multiplyPairs, ...addLanes],
  ...set(sums),
  ...advance(vectors, 16),
  ...advance(at, 32),
];
const sumOfLanes = [0, 1, 2, 3].flatMap((index) => [
  ...[...get(sums), ...lane(index)],
  ...(index === 0 ? [] : plus),
]);

/**
 * `products(vectors, vectorsEnd, query, queryEnd, products)`, all addresses in bytes: multiplies each vector of int8 with
 * the query of int16 and stores the sums as int32, one after the other. Both have as many numbers, a multiple of 16.
 */
export const productsFunction: WasmFunction = {
  name: 'products',
  parameters: 5,
  locals: [
    { count: 1, kind: kind.i32 },
    { count: 2, kind: kind.v128 },
  ],
  body: repeated([
    ...[...noSums, ...set(sums), ...get(query), ...set(at)],
    ...repeated([...multiplySixteen, ...get(at), ...get(queryEnd), ...isBelow]),
    ...[...get(products), ...sumOfLanes, ...storeI32, ...advance(products, 4)],
    ...[...get(vectors), ...get(vectorsEnd), ...isBelow],
  ]),
};
