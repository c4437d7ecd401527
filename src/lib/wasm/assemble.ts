/**
 * Words of the WebAssembly binary format, for functions short enough to be written by hand: one that needs no tool chain
 * is read here as it runs. https://webassembly.github.io/spec/core/binary/instructions.html
 */

export const kind = { i32: 0x7f, v128: 0x7b } as const;
const functionType = 0x60;
export type Code = readonly number[];

export interface WasmFunction {
  /** Under which it is exported. */
  readonly name: string;
  /** How many it has, all i32; they are the first locals. */
  readonly parameters: number;
  /** Runs of further locals of one kind. */
  readonly locals: readonly { readonly count: number; readonly kind: number }[];
  readonly body: Code;
}

/** A module of one function that returns nothing, over the memory `js.memory`. */
export function moduleOf({ name, parameters, locals, body }: WasmFunction): Uint8Array<ArrayBuffer> {
  const type = [functionType, parameters, ...Array(parameters).fill(kind.i32), 0];
  const declared = locals.flatMap((run) => [run.count, run.kind]);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    ...section(2, [1, ...nameOf('js'), ...nameOf('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...nameOf(name), 0, 0]),
    ...section(10, [1, ...sized([locals.length, ...declared, ...body, ...end])]),
  ]);
}

const end: Code = [0x0b];
/** Runs its body again where the body's last value is not 0. */
export function repeated(body: Code): Code {
  return [0x03, 0x40, ...body, 0x0d, 0, ...end];
}

export const isBelow: Code = [0x49];
export const plus: Code = [0x6a];
export const storeI32: Code = [0x36, 2, 0];
export const get = (local: number): Code => [0x20, local];
export const set = (local: number): Code => [0x21, local];
/** Values below 64 are written alike whether signed or not; others with a byte more. */
const number = (value: number): Code => [0x41, ...signed(value)];
export const loadI32 = (offset: number): Code => [0x28, 2, ...unsigned(offset)];
export const loadF64 = (offset: number): Code => [0x2b, 3, ...unsigned(offset)];
export const advance = (local: number, bytes: number): Code => [
  ...get(local),
  ...number(bytes),
  ...plus,
  ...set(local),
];

/** Instructions on 128 bits: https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions */
export const simd = (code: number): Code => [0xfd, ...unsigned(code)];
export const load128 = (offset: number): Code => [...simd(0), 0, ...unsigned(offset)];
export const store128 = (offset: number): Code => [...simd(11), 0, ...unsigned(offset)];
/** Eight of the sixteen int8, as int16. */
export const lowToInt16 = simd(135);
export const highToInt16 = simd(136);

function section(id: number, content: Code): Code {
  return [id, ...sized(content)];
}

function sized(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

function nameOf(text: string): Code {
  return sized([...Buffer.from(text)]);
}

/** LEB128. */
function unsigned(value: number): Code {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const low = value & 0x7f;
  return value < 0x40 ? [low] : [low | 0x80, ...signed(value >>> 7)];
}
