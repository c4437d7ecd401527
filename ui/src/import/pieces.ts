/** A line of a file, or an element of its list. */
export interface Piece {
  /** From 1; empty lines are counted. */
  readonly number: number;
  /** Undefined if it is longer than `pieceBytesMax`. */
  readonly bytes: Uint8Array | undefined;
  /** Bytes of the file up to its end. */
  readonly end: number;
  /** The list breaks off, or more follows its end. */
  readonly fault?: 'listCut' | 'afterList';
}

export const pieceBytesMax = 4 * 1024 * 1024;
const headBytes = 64 * 1024;

/** `store`: written by `memoryd export` or `memoryd backup`, which a command loads. */
export type Layout = 'lines' | 'list' | 'store' | 'unknown';

/** Recognised by its beginning, as the command recognises it. @throws if the file cannot be read */
export async function layoutOf(file: Blob): Promise<Layout> {
  const head = await file.slice(0, headBytes).text();
  if (/^\ufeff?\{"format":"memoryd-(export|backup)",/.test(head)) return 'store';
  if (/^\ufeff?\s*\{\s*[\r\n]/.test(head) || !/^\ufeff?\s*[{[]/m.test(head)) return 'unknown';
  return /^\ufeff?\s*\[\s*(?:[{\]]|$)/.test(head) ? 'list' : 'lines';
}

/** Reads as much as is asked for; at most one piece of up to `pieceBytesMax` bytes and one chunk are in memory. */
export function piecesOf(file: Blob, layout: 'lines' | 'list'): AsyncGenerator<Piece> {
  return layout === 'list' ? elementsOf(chunksOf(file)) : linesOf(chunksOf(file));
}

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** The bytes of a piece that is not complete. */
class Incomplete {
  #parts: Uint8Array[] = [];
  length = 0;

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length <= pieceBytesMax) this.#parts.push(part);
    else this.#parts = [];
  }

  take(): Uint8Array | undefined {
    const isWhole = this.length <= pieceBytesMax;
    const bytes = new Uint8Array(isWhole ? this.length : 0);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.length = 0;
    return isWhole ? bytes : undefined;
  }
}

const newline = 0x0a;

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  const line = new Incomplete();
  let number = 0;
  let before = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      line.add(chunk.subarray(from, at));
      from = at + 1;
      yield { number: ++number, bytes: line.take(), end: before + from };
    }
    line.add(chunk.subarray(from));
    before += chunk.length;
  }
  if (line.length > 0) yield { number: ++number, bytes: line.take(), end: before };
}

const [quote, backslash, comma, list, listEnd, object, objectEnd] = [...'"\\,[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

/** The list begins, or an element or the list ends. */
type Sign = 'begin' | 'element' | 'end';

/** Finds the commas between the elements of a list. */
class ListScan {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  hasEnded = false;

  /** Places in the chunk, up to the end of the list. */
  *signsOf(chunk: Uint8Array): Generator<{ readonly at: number; readonly sign: Sign }> {
    for (let at = 0; at < chunk.length && !this.hasEnded; at++) {
      const sign = this.#take(chunk[at]);
      this.hasEnded = sign === 'end';
      if (sign !== undefined) yield { at, sign };
    }
  }

  #take(byte: number): Sign | undefined {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInText = false;
    } else if (byte === quote) this.#isInText = true;
    else if (byte === list || byte === object) {
      if (this.#depth++ === 0) return 'begin';
    } else if (byte === listEnd || byte === objectEnd) {
      if (--this.#depth === 0) return 'end';
    } else if (byte === comma && this.#depth === 1) return 'element';
    return undefined;
  }
}

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13));

async function* elementsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  const scan = new ListScan();
  const element = new Incomplete();
  let number = 0;
  let before = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (const { at, sign } of scan.signsOf(chunk)) {
      if (sign !== 'begin') element.add(chunk.subarray(from, at));
      from = at + 1;
      if (sign === 'begin') continue;
      const bytes = element.take();
      // An empty list has no element, and so has the end after a last comma.
      const isNone = sign === 'end' && bytes !== undefined && isBlank(bytes);
      if (!isNone) yield { number: ++number, bytes, end: before + from };
    }
    before += chunk.length;
    if (!scan.hasEnded) element.add(chunk.subarray(from));
    else if (!isBlank(chunk.subarray(from))) {
      yield { number: number + 1, bytes: undefined, end: before, fault: 'afterList' };
      return;
    }
  }
  if (!scan.hasEnded) yield { number: number + 1, bytes: undefined, end: before, fault: 'listCut' };
}
