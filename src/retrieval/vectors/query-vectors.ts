import { LRUCache } from 'lru-cache';
import { type Embedder, spaceName } from '../../domain/embedding/embedder.ts';

const bytesMax = 16 * 1024 * 1024;
/** Of a map entry and its promise. */
const bytesAnEntry = 200;

/**
 * Vectors of queries by embedders that take their time, kept so that the same query is embedded once: people page, filter
 * and search again. A query that waits is not asked for twice either; what comes too late is kept for the next search.
 */
export class QueryVectors {
  readonly #kept = new LRUCache<string, Promise<Float32Array>>({ maxSize: bytesMax });

  /** @throws EmbeddingError */
  of(embedder: Embedder, query: string): Promise<Float32Array> {
    const key = `${spaceName(embedder.space)}\n${query}`;
    let vector = this.#kept.get(key);
    if (!vector) {
      vector = embedder.embed([query], 'query').then(([first]) => first);
      const size = bytesAnEntry + 2 * key.length + 4 * embedder.space.dimension;
      this.#kept.set(key, vector, { size });
      // Whoever waits for it gets the failure; the server's state is logged where it is asked.
      vector.catch(() => this.#kept.delete(key));
    }
    return vector;
  }
}
