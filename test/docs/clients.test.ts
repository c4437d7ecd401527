import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unservedOperations } from '../../src/http/hooks/unknown-paths.ts';
import { type OpenApiDocument, operationsOf } from '../support/openapi.ts';
import { sdkOperations, withoutNames } from '../support/sdk-operations.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/docs/clients.md`, 'utf8');
const document = JSON.parse(readFileSync(`${root}/docs/openapi.json`, 'utf8')) as OpenApiDocument;
const served = new Set(
  operationsOf(document).map(({ method, path }) => withoutNames(`${method.toUpperCase()} ${path}`)),
);
const isServed = (operation: string) => served.has(withoutNames(operation));
const known = [...new Set(sdkOperations.map(({ operation }) => operation))];

/** The operations that a section of the page names. */
function section(title: string): string[] {
  const [text] = page.split(`### ${title}\n`)[1].split('\n#');
  return [...text.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, operation]) => operation).sort();
}

describe('docs/clients.md', () => {
  it('docs/clients.md says of each operation of the SDK whether it is served, and what is lacking where it is not', () => {
    expect(known.length).toBeGreaterThan(100);
    expect(section('Served')).toEqual(known.filter(isServed).sort());
    expect(section('Not served')).toEqual(known.filter((operation) => !isServed(operation)).sort());
    for (const { operation, lacking } of unservedOperations) {
      const row = page.split('\n').find((line) => line.startsWith('| ') && line.includes(`\`${operation}\``));
      expect([operation, row?.startsWith(`| ${lacking} |`)]).toEqual([operation, true]);
    }
  });

  it('docs/clients.md and the responses know the same operations as not served, and none of them is served', () => {
    const named = unservedOperations.map(({ operation }) => operation);
    expect(named.toSorted()).toEqual(section('Not served'));
    expect(named.filter(isServed)).toEqual([]);
  });
});
