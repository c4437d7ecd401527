import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unservedOperation } from '../../src/http/unserved-operations.ts';
import { type OpenApiDocument, operationsOf } from '../support/openapi.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/docs/clients.md`, 'utf8');
const document = JSON.parse(readFileSync(`${root}/openapi.json`, 'utf8')) as OpenApiDocument;
const sdk = readFileSync(createRequire(import.meta.url).resolve('@memnexus-ai/typescript-sdk'), 'utf8');

const request =
  /async (\w+)\([^)]*\) \{\s*const request = new Request\w*\(\{\s*baseUrl: .*\s*method: "(\w+)",\s*path: "([^"]+)"/g;
const sdkOperations = [
  ...new Set([...sdk.matchAll(request)].map(([, , method, path]) => `${method} ${path}`)),
];
const withoutNames = (operation: string) => operation.replace(/\{\w+\}/g, '{}');
const served = new Set(
  operationsOf(document).map(({ method, path }) => withoutNames(`${method.toUpperCase()} ${path}`)),
);

/** The operations that a section of the page names. */
function section(title: string): string[] {
  const [text] = page.split(`### ${title}\n`)[1].split('\n#');
  return [...text.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, operation]) => operation).sort();
}

describe('docs/clients.md', () => {
  it('docs/clients.md says of each operation of the SDK whether this version serves it', () => {
    expect(sdkOperations.length).toBeGreaterThan(100);
    const isServed = (operation: string) => served.has(withoutNames(operation));
    const isKnown = (operation: string) => unservedOperation(...split(operation)) !== undefined;
    const rest = sdkOperations.filter((operation) => !isServed(operation));
    expect(section('Served')).toEqual(sdkOperations.filter(isServed).sort());
    expect(section('Not served by this version')).toEqual(rest.filter(isKnown).sort());
    expect(section('Of the hosted service only')).toEqual(
      rest.filter((operation) => !isKnown(operation)).sort(),
    );
  });

  it('docs/clients.md lists nothing as not served that is served', () => {
    for (const operation of served)
      expect([operation, unservedOperation(...split(operation))]).toEqual([operation, undefined]);
  });
});

function split(operation: string): [method: string, path: string] {
  const [method, path] = operation.split(' ');
  return [method, path.replace(/\{\w*\}/g, 'x')];
}
