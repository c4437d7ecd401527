import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder under the system's temporary folder; `remove` is safe to call twice. */
export function newTempFolder(purpose: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `memoryd-${purpose}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
