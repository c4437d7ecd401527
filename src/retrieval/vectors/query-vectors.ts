import { LRUCache } from 'lru-cache';
import { type Embedder, EmbeddingError, isImmediate, spaceName } from '../../domain/embedding/embedder.ts';

const bytesMax = 16 * 1024 * 1024;
/** Of a map entry and its promise. */
const bytesAnEntry = 200;

/**
 * Vectors of queries. Of an embedder that takes its time they are kept, so that the same query is embedded once: people
 * page, filter and search again. A query that waits is not asked for twice either.
 */
export class QueryVectors {
  readonly #waitMs: number;
  readonly #kept: LRUCache<string, Promise<Float32Array>>;

  /** @param waitMs that a search waits at most; what comes later is kept for the next one */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
    this.#kept = new LRUCache({ maxSize: bytesMax });
  }

  /** @throws EmbeddingError */
  async of(embedder: Embedder, query: string): Promise<Float32Array> {
    if (isImmediate(embedder)) return embedder.embedNow(query);
    const key = `${spaceName(embedder.space)}\n${query}`;
    let vector = this.#kept.get(key);
    if (!vector) {
      vector = embedder.embed([query], 'query').then(([first]) => first);
      const size = bytesAnEntry + 2 * key.length + 4 * embedder.space.dimension;
      this.#kept.set(key, vector, { size });
      // Whoever waits for it is told by `within`; the server's state is logged where it is asked.
      vector.catch(() => this.#kept.delete(key));
    }
    return within(this.#waitMs, vector);
  }
}

/** @throws EmbeddingError where `work` takes longer */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new EmbeddingError(`no vector within ${ms} ms`, { isLasting: false, failure: 'timeout' }));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
