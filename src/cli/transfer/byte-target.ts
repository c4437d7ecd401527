import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { standardStream } from './with-input-file.ts';

/** Destination of the bytes of an export. */
export interface ByteTarget {
  write(bytes: Buffer): Promise<void>;
  /** All bytes are written. */
  finish(): Promise<void>;
  /** Not all could be written. */
  discard(): Promise<void>;
}

/** A new file, or standard output for `-`. @throws Error if the file exists */
export async function openTarget(path: string): Promise<ByteTarget> {
  return path === standardStream ? new StandardOutput() : NewFile.create(path);
}

/** A file of mode 0600 that has its name only once it is whole and on disk. */
class NewFile implements ByteTarget {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<NewFile> {
    if (existsSync(path)) throw new Error(`${path} is there already: name another file.`);
    rmSync(partial(path), { force: true });
    return new NewFile(path, await open(partial(path), 'wx', 0o600));
  }

  async write(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      written += (await this.#file.write(bytes, written)).bytesWritten;
    }
  }

  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(partial(this.#path), this.#path);
  }

  async discard(): Promise<void> {
    // The file is removed next, whether or not it could be closed; the failure that led here is reported.
    await this.#file.close().catch(() => undefined);
    rmSync(partial(this.#path), { force: true });
  }
}

const partial = (path: string) => `${path}.partial`;

/** Waits for a slow reader, and fails if it disconnected: its copy then has no last line. */
class StandardOutput implements ByteTarget {
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => {
        if (error)
          reject(new Error(`Standard output cannot be written (${error.message}).`, { cause: error }));
        else resolve();
      });
    });
  }

  async finish(): Promise<void> {
    // Each write has waited until it was done.
  }

  async discard(): Promise<void> {
    // The reader's bytes cannot be taken back; without the last line every reader of the format refuses them.
  }
}
