import { LRUCache } from 'lru-cache';
import { type Embedder, spaceName } from '../../domain/embedding/embedder.ts';

const bytesMax = 16 * 1024 * 1024;
/** Size of a map entry and its promise. */
const bytesAnEntry = 200;

/**
 * Cache of query vectors from slow embedders: people page, filter and repeat a search. Concurrent
 * searches for one query share a request; a vector that is late for its search is cached for the next.
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
      // Callers get the failure; the embedder's client logs it.
      vector.catch(() => this.#kept.delete(key));
    }
    return vector;
  }
}
