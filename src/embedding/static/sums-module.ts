import {
  advance,
  type Code,
  get,
  highToInt16,
  isBelow,
  kind,
  load128,
  loadF64,
  loadI32,
  lowToInt16,
  plus,
  repeated,
  set,
  simd,
  store128,
  type WasmFunction,
} from '../../lib/wasm/assemble.ts';

const [pieces, piecesEnd, sums, sumsEnd] = [0, 1, 2, 3];
const [piece, offset, vector, half, quarter, scale] = [4, 5, 6, 7, 8, 9];
/** Eight locals of two sums each: sixteen numbers of a vector at a time. */
const sumOf = (pair: number) => 10 + pair;

const pairs = [0, 1, 2, 3, 4, 5, 6, 7];
const splat = simd(20);
const [lowToInt32, highToInt32] = [simd(167), simd(168)];
/** The lower two of four int32. */
const lowToFloat64 = simd(254);
const multiply = simd(242);
const add = simd(240);
const upperHalf: Code = [...simd(13), ...[8, 9, 10, 11, 12, 13, 14, 15], ...[8, 9, 10, 11, 12, 13, 14, 15]];

const addPair = (pair: number, two: Code): Code => [
  ...get(sumOf(pair)),
  ...[...two, ...lowToFloat64, ...get(scale), ...multiply],
  ...[...add, ...set(sumOf(pair))],
];
/** Four numbers from `half`, a vector of int16. */
const addFour = (pair: number, toInt32: Code): Code => [
  ...[...get(half), ...toInt32, ...set(quarter)],
  ...addPair(pair, get(quarter)),
  ...addPair(pair + 1, [...get(quarter), ...get(quarter), ...upperHalf]),
];
const addEight = (pair: number, toInt16: Code): Code => [
  ...[...get(vector), ...toInt16, ...set(half)],
  ...addFour(pair, lowToInt32),
  ...addFour(pair + 2, highToInt32),
];
const addSixteen: Code = [
  ...[...get(piece), ...loadI32(0), ...get(offset), ...plus, ...load128(0), ...set(vector)],
  ...[...get(piece), ...loadF64(8), ...splat, ...set(scale)],
  ...addEight(0, lowToInt16),
  ...addEight(4, highToInt16),
  ...advance(piece, 16),
];

/**
 * `sums(pieces, piecesEnd, sums, sumsEnd)`, all addresses in bytes: adds vectors of int8, each times its scale, to sums of
 * float64, of which there are a multiple of 16. A piece is the int32 address of its vector and, 8 bytes on, its float64
 * scale. Each sum is added to in the order of the pieces, so that it has the same last digit as without SIMD.
 */
export const sumsFunction: WasmFunction = {
  name: 'sums',
  parameters: 4,
  locals: [
    { count: 2, kind: kind.i32 },
    { count: 4 + pairs.length, kind: kind.v128 },
  ],
  body: repeated([
    ...pairs.flatMap((pair) => [...get(sums), ...load128(16 * pair), ...set(sumOf(pair))]),
    ...[...get(pieces), ...set(piece)],
    ...repeated([...addSixteen, ...get(piece), ...get(piecesEnd), ...isBelow]),
    ...pairs.flatMap((pair) => [...get(sums), ...get(sumOf(pair)), ...store128(16 * pair)]),
    ...[...advance(offset, 16), ...advance(sums, 128)],
    ...[...get(sums), ...get(sumsEnd), ...isBelow],
  ]),
};
