import type { Step } from '../../src/domain/jobs/step.ts';

/** The example of "To add a step" in ARCHITECTURE.md: keeps how many words each memory has as an artifact of it. */
export const countWords: Step<number> = {
  name: 'count-words',
  version: 1,
  run: async (batch) => batch.map(({ memory }) => memory.content.split(/\s+/).filter(Boolean).length),
  write: async (tx, results) => {
    for (const { item, result } of results) {
      const { id, updatedAt } = item.memory;
      const artifact = {
        id,
        memoryId: id,
        conversationId: null,
        type: 'word-count',
        name: null,
        description: null,
        content: String(result),
        metadata: null,
        createdAt: updatedAt,
        updatedAt,
        externalId: null,
      };
      // A step may be done again for the same memory: what it writes takes the place of what it wrote.
      if (await tx.artifacts.find(id)) await tx.artifacts.replace(artifact);
      else await tx.artifacts.insert(artifact);
    }
  },
};
