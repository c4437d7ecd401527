import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type InputFile, UnreadableError } from '../readers/reader.ts';
import type { TempFiles } from './temp-files.ts';

/** Bytes of one file; more are refused, whether declared or met while unpacking. */
export const fileBytesMax = 8 * 1024 ** 3;
const textBytesMax = 16 * 1024 * 1024;
const chunkBytes = 256 * 1024;

interface FileSource {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: Date | undefined;
  /** On disk; undefined for a member of a zip. */
  readonly diskPath: string | undefined;
  open(): Promise<Readable>;
}

/** A file of any source; one named `*.gz` is unpacked as it is read, and its path ends before `.gz`. */
export class SourceFile implements InputFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: Date | undefined;
  readonly #source: FileSource;
  readonly #temp: TempFiles;
  readonly #isPacked: boolean;
  #unpacked: Promise<string> | undefined;

  constructor(source: FileSource, temp: TempFiles) {
    this.#isPacked = /(?<!\.tar)\.gz$/i.test(source.path);
    this.path = (this.#isPacked ? source.path.slice(0, -3) : source.path).normalize('NFC');
    this.size = source.size;
    this.modifiedAt = source.modifiedAt;
    this.#source = source;
    this.#temp = temp;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const file = await this.#source.open().catch((error: Error) => {
      throw new UnreadableError(this.path, error);
    });
    const chunks = this.#isPacked ? file.pipe(createGunzip()) : file;
    let length = 0;
    // A pipe does not hand its source's errors on.
    file.once('error', (error) => chunks.destroy(error));
    try {
      for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        if (length > fileBytesMax) throw new Error(`${this.path} has more than ${fileBytesMax} bytes.`);
        yield chunk;
      }
    } catch (error) {
      throw new UnreadableError(this.path, error);
    } finally {
      file.destroy();
    }
  }

  async text(bytesMax = textBytesMax): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.bytes()) {
      length += chunk.length;
      if (length > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch (error) {
      throw new Error('it is not UTF-8', { cause: error });
    }
  }

  async head(bytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of this.bytes()) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= bytes) break;
      }
    } catch (error) {
      // The reader of the rest says so.
      if (!(error instanceof UnreadableError)) throw error;
    }
    return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytes));
  }

  diskPath(): Promise<string> {
    const { diskPath } = this.#source;
    if (diskPath !== undefined && !this.#isPacked) return Promise.resolve(diskPath);
    this.#unpacked ??= this.#temp.write(this.bytes());
    return this.#unpacked;
  }
}

interface DiskFile {
  readonly size: number;
  readonly mtime: Date;
}

/** @param path within the input */
export function diskFile(diskPath: string, path: string, stats: DiskFile, temp: TempFiles): SourceFile {
  const open = () => Promise.resolve(createReadStream(diskPath, { highWaterMark: chunkBytes }));
  return new SourceFile({ path, size: stats.size, modifiedAt: stats.mtime, diskPath, open }, temp);
}
