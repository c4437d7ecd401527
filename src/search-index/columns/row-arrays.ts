/** Smaller buffers are not pooled. */
const bytesMin = 16 * 1024;
/** Maximum bytes in the pool, shared by all searches: those of one search of 900,000 memories. */
const bytesKeptMax = 64 * 1024 * 1024;

/** Buffers that no search uses now, largest last. */
class FreeBuffers {
  readonly #buffers: ArrayBuffer[] = [];
  #bytes = 0;

  /** The smallest buffer that is large enough, but at most twice as large as requested. */
  take(bytes: number): ArrayBuffer | undefined {
    const at = this.#buffers.findIndex(({ byteLength }) => byteLength >= bytes);
    if (at < 0 || this.#buffers[at].byteLength > 2 * bytes) return undefined;
    const [buffer] = this.#buffers.splice(at, 1);
    this.#bytes -= buffer.byteLength;
    return buffer;
  }

  /** Beyond the maximum, the smallest are dropped: they are the cheapest to make again. */
  put(buffers: readonly ArrayBuffer[]): void {
    this.#buffers.push(...buffers);
    this.#buffers.sort((a, b) => a.byteLength - b.byteLength);
    for (const { byteLength } of buffers) this.#bytes += byteLength;
    while (this.#bytes > bytesKeptMax) this.#bytes -= this.#buffers.shift()?.byteLength ?? 0;
  }
}

const free = new FreeBuffers();

/**
 * Pooled arrays with a place for each row. If each search allocated its own, 22 MB at 300,000 memories, V8
 * would collect its whole heap every three searches, for 100 ms of processor time, mostly on other threads.
 */
export class RowArrays {
  #taken: ArrayBuffer[] = [];

  /** All 0. */
  numbers(length: number): Float64Array {
    const bytes = length * Float64Array.BYTES_PER_ELEMENT;
    const buffer = this.#bufferOf(bytes);
    return buffer ? new Float64Array(buffer, 0, length).fill(0) : new Float64Array(length);
  }

  /** Uninitialised: contains data of earlier searches. */
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

  /** Returns all arrays to the pool: the caller must not use them any more. */
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

/** Rounds up by at most an eighth, so that the buffer also fits searches after some memories were added. */
function withRoom(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}
