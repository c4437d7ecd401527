import { createRequire } from 'node:module';

/** An optional dependency: it has no binary for some machines, and whoever wants a small installation leaves it out. */
const runtimePackage = 'onnxruntime-node';

interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A model that is ready to run. */
export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, Tensor>>>;
}

/** What is used of onnxruntime. Its own types would make the package a condition of compiling memoryd. */
export interface OnnxRuntime {
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
  readonly InferenceSession: {
    create(
      path: string,
      options: { readonly intraOpNumThreads: number; readonly interOpNumThreads: number },
    ): Promise<Session>;
  };
}

/** The package is not installed, or its binary does not run on this machine. */
export class NoRuntimeError extends Error {
  constructor(cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no code';
    super(
      code === 'MODULE_NOT_FOUND'
        ? `${runtimePackage} is not installed`
        : `${runtimePackage} cannot be loaded on this machine (${code})`,
      { cause },
    );
    this.name = 'NoRuntimeError';
  }
}

/**
 * The library keeps a device id below HOME and reports to its makers unless this is set before it is loaded. Its own code
 * reads the environment, which only the main thread of a process can change: what begins a thread for it calls this first.
 */
export function forbidTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY = '1';
}

/** @throws NoRuntimeError */
export function loadRuntime(): OnnxRuntime {
  forbidTelemetry();
  try {
    return createRequire(import.meta.url)(runtimePackage) as OnnxRuntime;
  } catch (error) {
    throw new NoRuntimeError(error);
  }
}
