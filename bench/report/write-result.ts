import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes the JSON of one run to `out`, else to a new file in the temporary folder; gives its path. */
export function writeResult(name: string, result: object, out?: string): string {
  const stamp = new Date().toISOString().replace(/[^0-9]/g, '');
  const path = out ?? join(tmpdir(), 'memoryd-bench', `${name}-${stamp}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  return path;
}
