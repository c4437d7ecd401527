import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import type { TransferRecord } from '../../storage/transfer.ts';
import { type FileEnd, type FileHead, toLine } from './file-format.ts';

const bufferLengthMax = 256 * 1024;

/** Writes a file of records, mode 0600. It has its name only once it is whole and on disk. */
export class FileWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  #buffer = '';
  #lines = 0;
  #users = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** @throws Error where there is such a file already */
  static async create(path: string, head: FileHead): Promise<FileWriter> {
    if (existsSync(path)) throw new Error(`${path} is there already: name another file.`);
    rmSync(partial(path), { force: true });
    const writer = new FileWriter(path, await open(partial(path), 'wx', 0o600));
    await writer.#write(toLine(head));
    return writer;
  }

  async add(record: TransferRecord): Promise<void> {
    if ('user' in record) this.#users++;
    else this.#rows[record.table] = (this.#rows[record.table] ?? 0) + 1;
    await this.#write(toLine(record));
  }

  /** Writes the last line and gives the file its name. */
  async finish(): Promise<FileEnd> {
    await this.#flush();
    const end: FileEnd = {
      lines: this.#lines,
      users: this.#users,
      rows: this.#rows,
      sha256: this.#hash.digest('hex'),
    };
    await this.#file.write(`${toLine({ end })}\n`);
    await this.#file.sync();
    await this.#file.close();
    await rename(partial(this.#path), this.#path);
    return end;
  }

  async discard(): Promise<void> {
    // The file is removed next, whether or not it could be closed; the failure that led here is told.
    await this.#file.close().catch(() => undefined);
    rmSync(partial(this.#path), { force: true });
  }

  async #write(line: string): Promise<void> {
    this.#lines++;
    this.#buffer += `${line}\n`;
    if (this.#buffer.length >= bufferLengthMax) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    this.#hash.update(bytes);
    for (let written = 0; written < bytes.length; ) {
      written += (await this.#file.write(bytes, written)).bytesWritten;
    }
  }
}

const partial = (path: string) => `${path}.partial`;
