import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { parseConfig } from '../../src/config/load.ts';
import type { Embedder, TextKind } from '../../src/domain/embedding/embedder.ts';
import { type EmbeddingModels, loadModels } from '../../src/embedding/load-models.ts';

/** The bundled models with a cache of the encoder's vectors, saved in a file if one is named. */
export interface CachedModels {
  readonly models: EmbeddingModels;
  close(): Promise<void>;
}

export function openCachedModels(file: string | undefined): CachedModels {
  const models = loadModels(
    parseConfig({ MEMORYD_DATABASE_URL: 'sqlite::memory:', MEMORYD_EMBEDDER: 'bundled' }),
  );
  const second = models?.second;
  if (!models || !second) throw new Error('the encoder cannot run here');
  const known: Map<string, Float32Array> =
    file && existsSync(file) ? deserialize(readFileSync(file)) : new Map();
  const before = known.size;
  const embed = async (texts: readonly string[], kind: TextKind) => {
    const missing = [...new Set(texts.filter((text) => !known.has(`${kind} ${text}`)))];
    if (missing.length > 0) {
      const vectors = await second.embed(missing, kind);
      for (const [i, text] of missing.entries()) known.set(`${kind} ${text}`, vectors[i]);
    }
    return texts.map((text) => known.get(`${kind} ${text}`) as Float32Array);
  };
  const { space, source, longestInput, relatedCosine } = second;
  const cached: Embedder = { space, source, longestInput, relatedCosine, embed };
  return {
    models: { ...models, second: cached },
    close: async () => {
      if (file && known.size > before) writeFileSync(file, serialize(known));
      await models.encoder?.close();
    },
  };
}
