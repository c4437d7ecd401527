import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { InputFile } from '../reader.ts';

const block = 512;
/** Bounds of an archive, checked while it is unpacked. */
const tarMax = { members: 10_000, bytes: 8 * 1024 ** 3 };

const textIn = (header: Buffer, start: number, length: number) =>
  header.toString('utf8', start, start + length).replace(/\0.*$/s, '');

/** Reads a stream in pieces of the sizes that are asked for. */
class Pieces {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At most `max` bytes; undefined at the end. */
  async some(max: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      const piece = await this.some(left);
      if (piece === undefined) throw new Error('the archive breaks off');
      left -= piece.length;
      yield piece;
    }
  }

  async whole(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.take(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

/**
 * The bytes of the member of a `.tar.gz` with this file name, in whatever folder of it; none if there is no such member.
 * Nothing is written anywhere, so that no name in it leads anywhere.
 * @throws Error if the archive is broken or beyond the bounds
 */
export async function* tarMember(archive: InputFile, name: string): AsyncGenerator<Uint8Array> {
  // An error of either stream ends the loop below.
  const unpacked = pipeline(Readable.from(archive.bytes()), createGunzip(), () => undefined);
  const pieces = new Pieces(unpacked as unknown as AsyncIterable<Buffer>);
  let bytes = 0;
  try {
    for (let members = 0; ; members++) {
      const header = await pieces.whole(block);
      const path = textIn(header, 0, 100);
      // Two blocks of zeros end an archive.
      if (path === '') return;
      const size = Number.parseInt(textIn(header, 124, 12).trim() || '0', 8);
      bytes += size;
      if (!Number.isSafeInteger(size) || bytes > tarMax.bytes || members >= tarMax.members)
        throw new Error('the archive is no tar, or too large');
      const isFile = ['0', '', '7'].includes(textIn(header, 156, 1));
      const isFound = isFile && path.slice(path.lastIndexOf('/') + 1) === name;
      for await (const piece of pieces.take(size)) if (isFound) yield piece;
      if (isFound) return;
      await pieces.whole((block - (size % block)) % block);
    }
  } catch (error) {
    throw new Error(`${archive.path} cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    unpacked.destroy();
  }
}
