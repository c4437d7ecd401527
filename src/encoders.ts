import { type Embedder, spaceName } from './domain/embedding/embedder.ts';
import { calibrate } from './embedding/calibration/calibrate.ts';
import { carriedModel, loadCarried, type Meaning } from './embedding/load-meaning.ts';
import type { DocumentEncoder, Encoders } from './retrieval/ports.ts';
import { createDocumentEncoder } from './retrieval/vectors/document-encoder.ts';

/** What makes vectors; the model that comes along always can, for a store may still be served by it. */
export function encodersFor(meaning: Meaning | undefined): Encoders {
  const wanted = meaning && encoderOf(meaning.embedder);
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

function encoderOf(embedder: Embedder): DocumentEncoder {
  const encoder = createDocumentEncoder(embedder);
  if (embedder.halfSimilarityAt !== undefined) return encoder;
  return { ...encoder, measureHalfSimilarity: () => calibrate(embedder) };
}
