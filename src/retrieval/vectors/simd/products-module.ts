/**
 * A WebAssembly module of one function, written out below in the order of its text format:
 * `products(vectors, vectorsEnd, query, queryEnd, products)`, all addresses in bytes of the memory `js.memory`. It
 * multiplies each vector of int8 with the query of int16 and stores the sums as int32, one after the other. Both have as
 * many numbers, a multiple of 16. By hand and not compiled from C: 40 instructions need no tool chain.
 * https://webassembly.github.io/spec/core/binary/instructions.html
 */
export function productsModule(): Uint8Array<ArrayBuffer> {
  const addressesOnly = [kind.function, 5, ...Array(5).fill(kind.i32), 0];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...addressesOnly]),
    ...section(2, [1, ...name('js'), ...name('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('products'), 0, 0]),
    ...section(10, [1, ...sized([...locals, ...body])]),
  ]);
}

const kind = { i32: 0x7f, v128: 0x7b, function: 0x60 };

const [vectors, vectorsEnd, query, queryEnd, products] = [0, 1, 2, 3, 4];
const [at, sums, vector] = [5, 6, 7];
const locals = [2, 1, kind.i32, 2, kind.v128];

const loop = [0x03, 0x40];
const end = [0x0b];
const repeatIf = [0x0d, 0];
const isBelow = [0x49];
const plus = [0x6a];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const number = (value: number) => [0x41, ...unsigned(value)];
const advance = (local: number, bytes: number) => [...get(local), ...number(bytes), ...plus, ...set(local)];
const storeI32 = [0x36, 2, 0];

const simd = (code: number) => [0xfd, ...unsigned(code)];
const noSums = [...simd(12), ...Array(16).fill(0)];
const load = (offset: number) => [...simd(0), 0, offset];
const lane = (index: number) => [...simd(27), index];
const lowToInt16 = simd(135);
const highToInt16 = simd(136);
const multiplyPairs = simd(186);
const addLanes = simd(174);

const multiplySixteen = [
  ...[...get(vectors), ...load(0), ...set(vector)],
  ...get(sums),
  ...[...get(vector), ...lowToInt16, ...get(at), ...load(0), ...multiplyPairs, ...addLanes],
  ...[...get(vector), ...highToInt16, ...get(at), ...load(16), ...multiplyPairs, ...addLanes],
  ...set(sums),
  ...advance(vectors, 16),
  ...advance(at, 32),
];
const sumOfLanes = [0, 1, 2, 3].flatMap((index) => [
  ...[...get(sums), ...lane(index)],
  ...(index === 0 ? [] : plus),
]);
const body = [
  ...loop,
  ...[...noSums, ...set(sums), ...get(query), ...set(at)],
  ...[...loop, ...multiplySixteen, ...get(at), ...get(queryEnd), ...isBelow, ...repeatIf, ...end],
  ...[...get(products), ...sumOfLanes, ...storeI32, ...advance(products, 4)],
  ...[...get(vectors), ...get(vectorsEnd), ...isBelow, ...repeatIf],
  ...end,
  ...end,
];

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)]);
}

/** LEB128; what is written here is below 64 or not signed, so that it reads the same as a signed number. */
function unsigned(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...unsigned(value >>> 7)];
}
