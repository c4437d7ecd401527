import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('@memnexus-ai/typescript-sdk'), 'utf8');
const request =
  /async (\w+)\([^)]*\) \{\s*const request = new Request\w*\(\{\s*baseUrl: .*\s*method: "(\w+)",\s*path: "([^"]+)"/g;

export interface SdkOperation {
  /** Of the SDK. */
  readonly method: string;
  /** `GET /api/topics/{id}` */
  readonly operation: string;
}

/** Every operation of the public SDK, read from its code. */
export const sdkOperations: readonly SdkOperation[] = [...source.matchAll(request)].map(
  ([, method, verb, path]) => ({ method, operation: `${verb} ${path}` }),
);

/** The operation without the names of its parameters, which documents choose freely. */
export function withoutNames(operation: string): string {
  return operation.replace(/\{\w+\}/g, '{}');
}
