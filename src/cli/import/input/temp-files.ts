import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Containers that share a folder for temporary files number their processes for themselves. */
const prefix = `memoryd-import-${hostname().replace(/[^A-Za-z0-9]/g, '')}-`;

/** A new folder of mode 0700, which is named after this process. */
export const newTempFolder = (): string => mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));

/** Removes folders of imports of this user that were killed. */
export function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(/^\d+/.exec(name.slice(prefix.length))?.[0]) : Number.NaN;
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const path = join(tmpdir(), name);
    const isOwn = statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOwn) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be asked, but is there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Files in one temporary folder, made with the first of them. */
export class TempFiles {
  #folder: string | undefined;
  #count = 0;

  /** @returns its path */
  async write(chunks: AsyncIterable<Uint8Array>): Promise<string> {
    this.#folder ??= newTempFolder();
    const path = join(this.#folder, `${++this.#count}`);
    await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
    return path;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
