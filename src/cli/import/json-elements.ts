/*
 * Splits JSON into the elements of its lists, so that a file of any size is parsed element by element. The explorer has
 * it in the browser, too: it uses nothing of Node.
 */

/** An element of the list that a document is, or of a list that is a member of the object that it is. */
export interface JsonElement {
  /** Name of the member of the outermost object; undefined for a list. */
  readonly member: string | undefined;
  /** Place in its list, from 1; 0: the value of a member that is not a list. */
  readonly number: number;
  /** JSON; undefined if it is longer than the limit. */
  readonly bytes: Uint8Array | undefined;
  /** Bytes of the document up to its end. */
  readonly end: number;
  /** The document breaks off, or more follows its end. */
  readonly fault?: 'listCut' | 'afterList';
}

const [quote, backslash, comma, colon, list, listEnd, object, objectEnd] = [...'"\\,:[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

const isSign = new Uint8Array(256);
for (const sign of [comma, colon, list, listEnd, object, objectEnd]) isSign[sign] = 1;

/** The bytes of a piece that is not complete. */
export class IncompletePiece {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length <= this.#bytesMax) this.#parts.push(part);
    else this.#parts = [];
  }

  /** Undefined if it is too long. */
  take(): Uint8Array | undefined {
    const parts = this.#parts;
    const length = this.length;
    this.#parts = [];
    this.length = 0;
    if (length > this.#bytesMax) return undefined;
    if (parts.length === 1) return parts[0];
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}

/** Finds the signs of JSON that are not in a text; a text may go on in the next chunk. */
class SignScan {
  #isInText = false;
  /** Whether the last byte of the chunk before escapes the first of this one. */
  #isEscaped = false;

  /** The place of the next sign from `at` on; the length of the chunk if it has none. */
  next(chunk: Uint8Array, at: number): number {
    for (let i = at; i < chunk.length; i++) {
      if (this.#isInText) {
        i = this.#endOfText(chunk, i);
        continue;
      }
      const byte = chunk[i];
      if (byte === quote) this.#isInText = true;
      else if (isSign[byte] === 1) return i;
    }
    return chunk.length;
  }

  #endOfText(chunk: Uint8Array, from: number): number {
    let start = from;
    for (;;) {
      const end = chunk.indexOf(quote, start);
      const isEscaped = this.#escapes(chunk, start, end === -1 ? chunk.length : end);
      if (end === -1) {
        this.#isEscaped = isEscaped;
        return chunk.length;
      }
      this.#isEscaped = false;
      start = end + 1;
      if (!isEscaped) {
        this.#isInText = false;
        return end;
      }
    }
  }

  /** Whether the byte at `end` is escaped: an odd number of backslashes stands before it. */
  #escapes(chunk: Uint8Array, start: number, end: number): boolean {
    let before = end;
    while (before > start && chunk[before - 1] === backslash) before--;
    const isOdd = (end - before) % 2 === 1;
    return before === start && this.#isEscaped ? !isOdd : isOdd;
  }
}

/** A sign ends nothing, the name of a member, or an element. */
type Ended = 'begin' | 'name' | 'element' | undefined;

class ElementScan {
  readonly #signs = new SignScan();
  #depth = 0;
  /** Depth at which commas part elements: 1, or 2 within a list that is a member. */
  #level = 1;
  #isObject = false;
  /** Whether the value of a member is expected, which may be a list. */
  #isBeforeValue = false;
  hasEnded = false;

  /** The element that ends at the sign is the value of a member that is no list. */
  isValue = false;

  *signsOf(chunk: Uint8Array): Generator<{ readonly at: number; readonly ended: Exclude<Ended, undefined> }> {
    let at = this.#signs.next(chunk, 0);
    for (; at < chunk.length && !this.hasEnded; at = this.#signs.next(chunk, at + 1)) {
      const ended = this.#take(chunk[at]);
      if (ended !== undefined) yield { at, ended };
    }
  }

  #take(byte: number): Ended {
    if (byte === list || byte === object) return this.#open(byte);
    if (byte === listEnd || byte === objectEnd) return this.#close();
    if (this.#depth !== this.#level) return undefined;
    if (byte === comma) return this.#elementEnds();
    if (this.#isObject && this.#level === 1) {
      this.#isBeforeValue = true;
      return 'name';
    }
    return undefined;
  }

  #open(byte: number): Ended {
    const isFirst = this.#depth++ === 0;
    if (isFirst) this.#isObject = byte === object;
    else if (this.#isBeforeValue && byte === list && this.#depth === 2) {
      this.#level = 2;
      this.#isBeforeValue = false;
      return 'begin';
    }
    this.#isBeforeValue = false;
    return isFirst ? 'begin' : undefined;
  }

  #close(): Ended {
    const depth = this.#depth--;
    this.hasEnded = depth === 1;
    if (depth !== this.#level) return undefined;
    const ended = this.#elementEnds();
    this.#level = 1;
    return ended;
  }

  #elementEnds(): Ended {
    this.isValue = this.#isObject && this.#level === 1;
    this.#isBeforeValue = false;
    return 'element';
  }
}

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13));
const decoder = new TextDecoder();

/** The place of the elements in the document. */
class Place {
  member: string | undefined;
  number = 0;

  name(bytes: Uint8Array | undefined): void {
    // A name that cannot be read makes its values unreadable as well.
    this.member = bytes && decoder.decode(bytes).trim().replace(/^"|"$/g, '');
    this.number = 0;
  }
}

/**
 * The elements of a list, or of the lists in an object; other members of that object come as one element each. One
 * element of up to `bytesMax` bytes and one chunk are in memory. Parsing finds faults within an element.
 */
export async function* elementsOf(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<JsonElement> {
  const scan = new ElementScan();
  const element = new IncompletePiece(bytesMax);
  const place = new Place();
  let before = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (const { at, ended } of scan.signsOf(chunk)) {
      if (ended === 'begin') element.take();
      else element.add(chunk.subarray(from, at));
      from = at + 1;
      if (ended === 'begin') continue;
      const bytes = element.take();
      if (ended === 'name') place.name(bytes);
      // An empty list has no element, and so has the end after a last comma or a list.
      else if (bytes === undefined || !isBlank(bytes)) {
        const number = scan.isValue ? 0 : ++place.number;
        yield { member: place.member, number, bytes, end: before + from };
      }
    }
    before += chunk.length;
    if (!scan.hasEnded) element.add(chunk.subarray(from));
    else if (!isBlank(chunk.subarray(from))) {
      yield { ...place, number: place.number + 1, bytes: undefined, end: before, fault: 'afterList' };
      return;
    }
  }
  if (!scan.hasEnded)
    yield { ...place, number: place.number + 1, bytes: undefined, end: before, fault: 'listCut' };
}
