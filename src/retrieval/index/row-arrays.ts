/** Smaller ones are made each time. */
const bytesMin = 16 * 1024;
/** What stays for the searches to come, of all users: what one search of 900,000 memories takes. */
const bytesKeptMax = 64 * 1024 * 1024;

/** Memory that no search uses at the moment, largest last. */
class FreeBuffers {
  readonly #buffers: ArrayBuffer[] = [];
  #bytes = 0;

  /** The smallest that is large enough, and not more than twice as large as asked for. */
  take(bytes: number): ArrayBuffer | undefined {
    const at = this.#buffers.findIndex(({ byteLength }) => byteLength >= bytes);
    if (at < 0 || this.#buffers[at].byteLength > 2 * bytes) return undefined;
    const [buffer] = this.#buffers.splice(at, 1);
    this.#bytes -= buffer.byteLength;
    return buffer;
  }

  /** Beyond what is kept, the smallest are dropped: those are made again soonest. */
  put(buffers: readonly ArrayBuffer[]): void {
    this.#buffers.push(...buffers);
    this.#buffers.sort((a, b) => a.byteLength - b.byteLength);
    for (const { byteLength } of buffers) this.#bytes += byteLength;
    while (this.#bytes > bytesKeptMax) this.#bytes -= this.#buffers.shift()?.byteLength ?? 0;
  }
}

const free = new FreeBuffers();

/**
 * Arrays with a place for each row, which one search fills and later ones fill again. Made for each search, 22 MB at 300,000
 * memories, they had V8 collect all of its heap every three searches, on other threads but for 100 ms of processor time.
 */
export class RowArrays {
  #taken: ArrayBuffer[] = [];

  /** All 0. */
  numbers(length: number): Float64Array {
    const bytes = length * Float64Array.BYTES_PER_ELEMENT;
    const buffer = this.#bufferOf(bytes);
    return buffer ? new Float64Array(buffer, 0, length).fill(0) : new Float64Array(length);
  }

  /** Whatever stands in them. */
  rows(length: number): Int32Array {
    const buffer = this.#bufferOf(length * Int32Array.BYTES_PER_ELEMENT);
    return buffer ? new Int32Array(buffer, 0, length) : new Int32Array(length);
  }

  /** All 0. */
  marks(length: number): Uint8Array {
    const buffer = this.#bufferOf(length);
    return buffer ? new Uint8Array(buffer, 0, length).fill(0) : new Uint8Array(length);
  }

  copyOf(numbers: Float64Array): Float64Array {
    const copy = this.numbers(numbers.length);
    copy.set(numbers);
    return copy;
  }

  /** For other searches: nobody may use any of these arrays any more. */
  release(): void {
    free.put(this.#taken);
    this.#taken = [];
  }

  #bufferOf(bytes: number): ArrayBuffer | undefined {
    if (bytes < bytesMin) return undefined;
    const buffer = free.take(bytes) ?? new ArrayBuffer(withRoom(bytes));
    this.#taken.push(buffer);
    return buffer;
  }
}

/** Up to an eighth more: most are large enough for the searches after some memories were added. */
function withRoom(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}
