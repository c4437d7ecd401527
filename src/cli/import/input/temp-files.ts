import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Files in one temporary folder of mode 0700, made with the first of them. */
export class TempFiles {
  #folder: string | undefined;
  #count = 0;

  /** @returns its path */
  async write(chunks: AsyncIterable<Uint8Array>): Promise<string> {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'memoryd-import-'));
    const path = join(this.#folder, `${++this.#count}`);
    await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
    return path;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
