import { spaceName } from './domain/embedding/embedder.ts';
import { carriedModel, loadCarried, type Meaning } from './embedding/load-meaning.ts';
import type { DocumentEncoder, Encoders } from './retrieval/ports.ts';
import { createDocumentEncoder } from './retrieval/vectors/document-encoder.ts';

/** What makes vectors; the model that comes along always can, for a store may still be served by it. */
export function encodersFor(meaning: Meaning | undefined): Encoders {
  const wanted = meaning && createDocumentEncoder(meaning.embedder);
  let carried: DocumentEncoder | undefined;
  return {
    wanted,
    of: (space) => {
      const name = spaceName(space);
      if (wanted && spaceName(wanted.space) === name) return wanted;
      if (space.model !== carriedModel) return undefined;
      carried ??= createDocumentEncoder(loadCarried().carried);
      return spaceName(carried.space) === name ? carried : undefined;
    },
  };
}
