import { closeSync, fdatasync, fstatSync, openSync, read, readSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);
const syncAsync = promisify(fdatasync);
const zeros = Buffer.alloc(65_536);

/** Open files by device and inode. */
const openFiles = new Map<string, { readonly file: number; users: number }>();

/**
 * The bytes of a store's file, for operations that SQLite has no call for. POSIX
 * releases all locks of a process on a file when it closes any descriptor of it:
 * users of one file share a descriptor, and it must be closed after all connections.
 */
export class RawFile {
  readonly #path: string;
  readonly #id: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    const { dev, ino } = statSync(path, { bigint: true });
    this.#id = `${dev}:${ino}`;
    const known = openFiles.get(this.#id);
    if (known) {
      known.users++;
      this.#file = known.file;
      return;
    }
    this.#file = openSync(path, 'r+');
    openFiles.set(this.#id, { file: this.#file, users: 1 });
  }

  get bytes(): number {
    return fstatSync(this.#file).size;
  }

  /** Size of the write-ahead log. */
  get walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Fills `into` with the bytes from `at` on. @returns the number of bytes read */
  async read(into: Buffer, at: number): Promise<number> {
    const { bytesRead } = await readAsync(this.#file, into, 0, into.length, at);
    return bytesRead;
  }

  readSync(into: Buffer, at: number): number {
    return readSync(this.#file, into, 0, into.length, at);
  }

  /** Writes zeros. @param count at most 65,536 */
  zeroSync(at: number, count: number): void {
    let written = 0;
    while (written < count) written += writeSync(this.#file, zeros, 0, count - written, at + written);
  }

  /** Resolves when the written bytes are on the disk. */
  sync(): Promise<void> {
    return syncAsync(this.#file);
  }

  /** Call once, after the last read or write through it. */
  close(): void {
    const known = openFiles.get(this.#id);
    if (!known || --known.users > 0) return;
    openFiles.delete(this.#id);
    closeSync(this.#file);
  }
}
