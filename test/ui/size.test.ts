import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../dist/ui/', import.meta.url);
const sizeOf = (path: string) => gzipSync(readFileSync(new URL(path, folder)), { level: 9 }).length;
const assets = () => readdirSync(new URL('assets/', folder)).map((name) => `assets/${name}`);

/** What index.html loads, with what that imports at once. */
function firstLoad(): Set<string> {
  const found = new Set<string>();
  const add = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    if (!path.endsWith('.js')) return;
    const source = readFileSync(new URL(path, folder), 'utf8');
    for (const [, name] of source.matchAll(/(?:from|import)"\.\/([\w.-]+)"/g)) add(`assets/${name}`);
  };
  const page = readFileSync(new URL('index.html', folder), 'utf8');
  for (const [, name] of page.matchAll(/"\/ui\/(assets\/[\w.-]+)"/g)) add(String(name));
  return found;
}

describe('the size of the explorer, compressed', () => {
  it('is at most 60 kB for the first view, 25 for any other part and 150 in all', () => {
    const first = firstLoad();
    expect(first.size).toBeGreaterThan(1);
    expect([...first].reduce((sum, path) => sum + sizeOf(path), sizeOf('index.html'))).toBeLessThanOrEqual(
      60_000,
    );
    for (const path of assets()) if (!first.has(path)) expect(sizeOf(path)).toBeLessThanOrEqual(25_000);
    expect(assets().reduce((sum, path) => sum + sizeOf(path), 0)).toBeLessThanOrEqual(150_000);
  });
});
