import { moduleOf, type WasmFunction } from './assemble.ts';

/** Of the global `WebAssembly` what is used here: the types of Node 20 do not have it. */
declare const WebAssembly: {
  validate(module: Uint8Array): boolean;
  Module: new (module: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, (...parameters: number[]) => void>> };
};

const pageBytes = 64 * 1024;

export interface Instance {
  readonly run: (...parameters: number[]) => void;
  /** All that the function reads and writes. */
  readonly buffer: ArrayBuffer;
}

/**
 * The function over a memory of so many bytes, zeros at first; undefined where the processor has no SIMD, or Node was
 * started without WebAssembly.
 */
export function instantiate(wanted: WasmFunction, memoryBytes: number): Instance | undefined {
  const bytes = moduleOf(wanted);
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(bytes)) return undefined;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / pageBytes) });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { js: { memory } });
  return { run: exports[wanted.name], buffer: memory.buffer };
}
