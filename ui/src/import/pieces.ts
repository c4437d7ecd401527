import { elementsOf, IncompletePiece } from '../../../src/cli/import/json-elements.ts';

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
  return layout === 'list' ? elementsOf(chunksOf(file), pieceBytesMax) : linesOf(chunksOf(file));
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

const newline = 0x0a;

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  const line = new IncompletePiece(pieceBytesMax);
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
