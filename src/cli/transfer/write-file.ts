import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { toIso } from '../../domain/shared/time.ts';
import { version } from '../../lib/version.ts';
import type { Transfer, TransferRecord } from '../../storage/transfer.ts';
import { withBar } from '../output/progress-bar.ts';
import { type FileEnd, type FileFormat, type FileHead, formatVersion, toLine } from './file-format.ts';
import { standardStream } from './input-file.ts';

interface FileRequest {
  readonly path: string;
  readonly format: FileFormat;
  /** Absent: all users, with their API keys. */
  readonly user?: string;
}

/** Writes users to a file, as of one point in time; a service may be running. */
export async function writeFile(transfer: Transfer, { path, format, user }: FileRequest): Promise<FileEnd> {
  const writer = await FileWriter.create(path, {
    format,
    version: formatVersion,
    schema: await transfer.schema(),
    memoryd: version,
    at: toIso(Date.now()),
  });
  try {
    await withBar('writing', 'rows', (onProgress) =>
      transfer.read({ user, onProgress }, (record) => writer.add(record)),
    );
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

const bufferLengthMax = 256 * 1024;

/** Writes the lines of an export or a backup to a new file, or to standard output. */
class FileWriter {
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

/** Destination of the bytes of an export. */
interface ByteTarget {
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
