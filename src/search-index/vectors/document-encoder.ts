import { type Embedder, isImmediate } from '../../domain/embedding/embedder.ts';
import { passagesOf, textOfPassage } from '../../domain/passages/passages.ts';
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

/**
 * The text itself and, if it has several passages, each of them: its vector has the number of the passage, from 1.
 * @param longestInput UTF-16 units that the model reads: headings
 * are left out of passages that are too long with them
 */
export function textParts(text: string, longestInput: number): string[] {
  const passages = passagesOf(text);
  if (passages.length === 1) return [text];
  const parts = passages.map((passage) => {
    const part = textOfPassage(text, passage);
    return part.length <= longestInput ? part : text.slice(passage.start, passage.end);
  });
  return [text, ...parts];
}
