import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** A model file is missing or damaged; the message names it and is for the operator. */
export class ModelFileError extends Error {
  constructor(path: string, reason: string) {
    super(
      `The embedding model cannot be loaded: ${path} ${reason}. Install memoryd anew, or choose another embedder.`,
    );
    this.name = 'ModelFileError';
  }
}

const types = { I8: Int8Array, U8: Uint8Array, U16: Uint16Array, F32: Float32Array } as const;
type TypeName = keyof typeof types;
type TensorData = Int8Array | Uint8Array | Uint16Array | Float32Array;

export interface Tensor {
  readonly type: TypeName;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

interface TensorEntry {
  readonly dtype: TypeName;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

export function readModelFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ModelFileError(
      path,
      `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    );
  }
}

/**
 * Reads the tensors of a file in the safetensors format (https://huggingface.co/docs/safetensors):
 * 8 bytes with the length of a JSON header, the header, the data. @throws ModelFileError
 */
export function readSafetensors(path: string): ReadonlyMap<string, Tensor> {
  const file = readModelFile(path);
  if (endianness() !== 'LE') throw new ModelFileError(path, 'is little-endian, unlike this machine');
  const headerLength = file.length >= 8 ? Number(file.readBigUInt64LE(0)) : -1;
  if (headerLength < 2 || headerLength > file.length - 8) throw new ModelFileError(path, 'is cut off');
  const data = file.subarray(8 + headerLength);
  const tensors = new Map<string, Tensor>();
  for (const [name, entry] of Object.entries(parseHeader(path, file.subarray(8, 8 + headerLength)))) {
    if (name !== '__metadata__') tensors.set(name, toTensor(path, name, entry, data));
  }
  return tensors;
}

function parseHeader(path: string, text: Buffer): Record<string, TensorEntry> {
  try {
    return JSON.parse(text.toString('utf8')) as Record<string, TensorEntry>;
  } catch {
    throw new ModelFileError(path, 'has a damaged header');
  }
}

function toTensor(path: string, name: string, entry: TensorEntry, data: Buffer): Tensor {
  const { dtype, shape, data_offsets: [from, to] = [0, -1] } = entry;
  const Type = types[dtype];
  const length = shape?.reduce((product, size) => product * size, 1);
  if (!Type || to - from !== length * Type.BYTES_PER_ELEMENT || from < 0 || to > data.length)
    throw new ModelFileError(path, `is damaged at tensor ${name}`);
  // Copied, because a view with elements of 2 or 4 bytes must begin at a multiple of 2 or 4.
  const bytes = data.buffer.slice(data.byteOffset + from, data.byteOffset + to);
  return { type: dtype, shape, data: new Type(bytes as ArrayBuffer) };
}
