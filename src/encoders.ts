import { type Embedder, spaceName, type VectorSpace } from './domain/embedding/embedder.ts';
import { calibrate } from './embedding/calibration/calibrate.ts';
import { bundledModel, type EmbeddingModels, loadBundled } from './embedding/load-models.ts';
import type { DocumentEncoder, Encoders } from './search-index/ports.ts';
import { createDocumentEncoder } from './search-index/vectors/document-encoder.ts';

/** Encoders of this process; the bundled model is always available, since a store may still use it. */
export function encodersFor(models: EmbeddingModels | undefined): Encoders {
  const target = models && encoderOf(models.embedder);
  const second = models?.second && encoderOf(models.second);
  let bundled: DocumentEncoder | undefined;
  const former = new WeakMap<Embedder, DocumentEncoder>();
  const formerOf = (space: VectorSpace, source: string | undefined) => {
    const embedder = models?.former?.of({ space, source });
    if (!embedder) return undefined;
    // Not measured any more: it serves only until the switch, and its server may be gone.
    const encoder = former.get(embedder) ?? createDocumentEncoder(embedder);
    former.set(embedder, encoder);
    return encoder;
  };
  return {
    target,
    second,
    of: (space, source) => {
      const name = spaceName(space);
      if (target && spaceName(target.space) === name) return target;
      if (second && spaceName(second.space) === name) return second;
      if (space.model !== bundledModel) return formerOf(space, source);
      bundled ??= createDocumentEncoder(loadBundled().bundled);
      return spaceName(bundled.space) === name ? bundled : formerOf(space, source);
    },
    retain: (spaces) => models?.former?.retain(spaces),
  };
}

function encoderOf(embedder: Embedder): DocumentEncoder {
  const encoder = createDocumentEncoder(embedder);
  if (embedder.relatedCosine !== undefined) return encoder;
  return { ...encoder, measureRelatedCosine: () => calibrate(embedder) };
}
