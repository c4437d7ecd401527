import { createRequire } from 'node:module';

/** An optional dependency: it has no binary for some machines, and small installations leave it out. */
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

/** The part of onnxruntime in use. With its own types, memoryd would not compile without the package. */
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
 * Turns off the telemetry of the library. Unless this variable is set before the library is loaded,
 * it keeps a device id below HOME and reports to its makers. Native code reads the variable, and only
 * the main thread can set it for native code: call this before a thread for the library is started.
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
