import { rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { newTempFolder } from '../input/temp-files.ts';

const bufferedMax = 1000;

/**
 * Keeps records in their order until all are there: the first thousand in memory, all in a temporary file of mode 0600 once
 * there are more. The file has no name any more while it is written, so nothing remains of it after a kill.
 */
export class Spool<T> {
  #buffer: T[] = [];
  #file: FileHandle | undefined;

  async add(record: T): Promise<void> {
    this.#buffer.push(record);
    if (this.#buffer.length >= bufferedMax) await this.#spill();
  }

  async #spill(): Promise<void> {
    const lines = this.#buffer.map((record) => `${JSON.stringify(record)}\n`).join('');
    this.#buffer = [];
    this.#file ??= await openUnnamed();
    await this.#file.write(lines);
  }

  async *all(): AsyncGenerator<T> {
    if (this.#file !== undefined) {
      await this.#spill();
      const lines = this.#file.readLines({ start: 0, autoClose: false });
      for await (const line of lines) if (line !== '') yield JSON.parse(line) as T;
    }
    yield* this.#buffer;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

async function openUnnamed(): Promise<FileHandle> {
  const folder = newTempFolder();
  try {
    return await open(join(folder, 'records'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
