import {
  type Embedder,
  type EmbedderOf,
  type FormerEmbedders,
  type SpaceDirectory,
  spaceName,
} from '../domain/embedding/embedder.ts';

/** Between the many models, until one is measured. */
const unmeasured = 0.5;

/** Finds the embedder of a space among those that this process has, or that `former` can still ask. */
export function embedderOf(
  spaces: SpaceDirectory,
  embedders: readonly Embedder[],
  former?: FormerEmbedders,
): EmbedderOf {
  const byName = new Map(embedders.map((embedder) => [spaceName(embedder.space), embedder]));
  return async (id) => {
    const known = await spaces.spaceOf(id);
    const embedder = known && (byName.get(spaceName(known.space)) ?? former?.of(known));
    if (!embedder) return undefined;
    return { embedder, relatedCosine: known.relatedCosine ?? embedder.relatedCosine ?? unmeasured };
  };
}
