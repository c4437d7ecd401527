import { createHash } from 'node:crypto';
import type { TransferRecord } from '../../storage/transfer.ts';
import { type ByteTarget, openTarget } from './byte-target.ts';
import { type FileEnd, type FileHead, toLine } from './file-format.ts';

const bufferLengthMax = 256 * 1024;

/** Writes the lines of an export or a backup to a new file, or to standard output. */
export class FileWriter {
  readonly #target: ByteTarget;
  readonly #hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  #buffer = '';
  #lines = 0;
  #users = 0;

  private constructor(target: ByteTarget) {
    this.#target = target;
  }

  /** @param path or `-` @throws Error if the file exists */
  static async create(path: string, head: FileHead): Promise<FileWriter> {
    const writer = new FileWriter(await openTarget(path));
    await writer.#write(toLine(head));
    return writer;
  }

  async add(record: TransferRecord): Promise<void> {
    if ('user' in record) this.#users++;
    else this.#rows[record.table] = (this.#rows[record.table] ?? 0) + 1;
    await this.#write(toLine(record));
  }

  /** Writes the last line; a file has its name then. */
  async finish(): Promise<FileEnd> {
    await this.#flush();
    const end: FileEnd = {
      lines: this.#lines,
      users: this.#users,
      rows: this.#rows,
      sha256: this.#hash.digest('hex'),
    };
    await this.#target.write(Buffer.from(`${toLine({ end })}\n`));
    await this.#target.finish();
    return end;
  }

  discard(): Promise<void> {
    return this.#target.discard();
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
    await this.#target.write(bytes);
  }
}
