import { embedStepKey, type SpaceToEmbed } from '../../domain/embedding/embed-step.ts';
import { EmbeddingError } from '../../domain/embedding/embedder.ts';
import type { Step } from '../../domain/jobs/step.ts';

/** Makes the vectors of each memory in one space; the same text is embedded once a batch. */
export function embedStep({ id, encode }: SpaceToEmbed): Step<readonly Int8Array[]> {
  return {
    ...embedStepKey(id),
    run: async (batch) => {
      const contents = [...new Set(batch.map(({ memory }) => memory.content))];
      const vectors = await encode(contents);
      const byContent = new Map(contents.map((content, i) => [content, vectors[i]]));
      return batch.map(({ memory }) => byContent.get(memory.content) ?? []);
    },
    write: (tx, results) =>
      tx.vectors.insertLate(
        id,
        results.map(({ item, result }) => ({ doc: item.memory.doc, isOlder: item.isOlder, vectors: result })),
      ),
    isUnavailable: (error) => error instanceof EmbeddingError && !error.isLasting,
  };
}
