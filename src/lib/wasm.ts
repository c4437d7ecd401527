/** The used part of the global `WebAssembly`, which the types of Node 20 lack. */
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
  /** The memory that the function reads and writes. */
  readonly buffer: ArrayBuffer;
}

/**
 * Loads the function that a module exports as `run`, with a memory of `memoryBytes` zeros.
 * @param module in base64, compiled from WebAssembly text by `npm
 * run generate`; it imports the memory as `js.memory`
 * @returns undefined if the processor has no SIMD, or Node was started without WebAssembly
 */
export function instantiate(module: string, memoryBytes: number): Instance | undefined {
  const bytes = Buffer.from(module, 'base64');
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(bytes)) return undefined;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / pageBytes) });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { js: { memory } });
  return { run: exports.run, buffer: memory.buffer };
}
