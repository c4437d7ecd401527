import { type Embedder, isImmediate } from '../../domain/embedding/embedder.ts';
import type { DocumentEncoder } from '../ports.ts';
import { toInt8 } from './quantize.ts';
import { textParts } from './text-parts.ts';

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
