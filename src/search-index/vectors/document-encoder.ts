import { type Embedder, isImmediate } from '../../domain/embedding/embedder.ts';
import type { DocumentEncoder } from '../ports.ts';
import { toInt8 } from './quantize.ts';

/** Makes vectors of documents with an embedder, inside the write if the embedder is fast enough. */
export function createDocumentEncoder(embedder: Embedder): DocumentEncoder {
  const { space, source, relatedCosine, longestInput } = embedder;
  const encode = async (contents: readonly string[]) => {
    const parts = contents.map((content) => textParts(content, longestInput));
    const vectors = await embedder.embed(parts.flat(), 'document');
    let next = 0;
    return parts.map(({ length }) => {
      next += length;
      return vectors.slice(next - length, next).map(toInt8);
    });
  };
  if (!isImmediate(embedder)) return { space, source, relatedCosine, longestInput, encode };
  const encodeNow = (content: string) =>
    textParts(content, longestInput).map((part) => toInt8(embedder.embedNow(part)));
  return { space, source, relatedCosine, longestInput, encode, encodeNow };
}

/** Texts up to this length, about 400 words, have one vector. */
const wholeLengthMax = 2400;
const partLengthMax = 1200;

/**
 * The text itself; for a long text, also parts of about 200 words that overlap by a quarter, cut at spaces.
 * @param longestInput UTF-16 units that the model reads as one;
 * longer texts are split, into parts of at most this length
 */
export function textParts(text: string, longestInput: number): string[] {
  if (text.length <= Math.min(wholeLengthMax, longestInput)) return [text];
  const parts = [text];
  const length = Math.min(partLengthMax, longestInput);
  const step = Math.ceil(length * 0.75);
  for (let from = 0; from < text.length; from += step) {
    const start = from === 0 ? 0 : text.indexOf(' ', from) + 1 || from;
    parts.push(text.slice(start, start + length));
    if (start + length >= text.length) break;
  }
  return parts;
}
