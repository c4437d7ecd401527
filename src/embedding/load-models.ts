import { fileURLToPath } from 'node:url';
import {
  type Embedder,
  type EmbedderOf,
  type EmbedderServer,
  type FormerEmbedders,
  type FormerSpace,
  type ImmediateEmbedder,
  type LocalEncoder,
  type PieceTable,
  type SpaceDirectory,
  spaceName,
} from '../domain/embedding/embedder.ts';
import type { Synonyms } from '../domain/embedding/similarity.ts';
import { FormerEncoders, missingRuntime, type OnnxSettings, onnxEncoder } from './onnx/onnx-models.ts';
import { FormerServers, type ServerSettings, serverEmbedder } from './openai/server-models.ts';
import { loadStaticModel, StaticEmbedder, SynonymTable, staticTraits } from './static/static-model.ts';

/** Name of the static model that comes with the service. */
export const bundledModel = 'static-en-256';
const dimension = 256;
const folder = fileURLToPath(new URL(`../../models/${bundledModel}`, import.meta.url));

/** Models for semantic search. */
export interface EmbeddingModels {
  readonly embedder: Embedder;
  /** Embedder of a second space, used in place of `embedder` for memories that are embedded in it. */
  readonly second?: Embedder;
  /** The static model of the service: embeds short texts, whichever embedder finds memories. */
  readonly bundled: ImmediateEmbedder;
  readonly synonyms: Synonyms;
  /** Word pieces of the bundled model. @throws ModelFileError */
  readonly pieces: () => PieceTable;
  /** Set if `embedder` asks a server. */
  readonly server?: EmbedderServer;
  /** Set if the configuration has an encoder in the process, even if the runtime for it is missing. */
  readonly encoder?: LocalEncoder;
  /** Formerly configured embedders; if absent, no query can be embedded for their spaces. */
  readonly former?: FormerEmbedders;
  /** Reads the files of the bundled model now instead of with the first text. @throws ModelFileError */
  readonly read?: () => void;
}

/** Settings of models; the server's URL and model name are needed for `openai` only. */
export interface ModelSettings extends Partial<ServerSettings>, Partial<OnnxSettings> {
  readonly embedder: 'static' | 'bundled' | 'onnx' | 'openai' | 'none';
}

/** One per settings object, so that writes and searches share one state of the servers. */
const bySettings = new WeakMap<ModelSettings, EmbeddingModels>();

/** The models that the settings name; undefined for `none`. */
export function loadModels(settings: ModelSettings): EmbeddingModels | undefined {
  if (settings.embedder === 'none') return undefined;
  let models = bySettings.get(settings);
  if (!models) {
    const former = new FormerModels([new FormerServers(settings), new FormerEncoders()]);
    models = { ...loadBundled(), former, ...configured(settings) };
    bySettings.set(settings, models);
  }
  return models;
}

/** The models that the settings name in place of the static one. @throws ModelFileError */
function configured(settings: ModelSettings): Partial<EmbeddingModels> {
  if (settings.embedder === 'openai') {
    const server = serverEmbedder(settings);
    return { embedder: server, server };
  }
  if (settings.embedder !== 'onnx' && settings.embedder !== 'bundled') return {};
  const isAlone = settings.embedder === 'onnx';
  const encoder = onnxEncoder(isAlone ? settings : {});
  const missing = missingRuntime(encoder.model);
  if (missing) return { encoder: missing };
  return isAlone ? { embedder: encoder, encoder } : { second: encoder, encoder };
}

interface BundledFiles {
  readonly embedder: StaticEmbedder;
  readonly synonyms: SynonymTable;
  readonly pieces: PieceTable;
}

let files: BundledFiles | undefined;

function readFiles(): BundledFiles {
  if (!files) {
    const model = loadStaticModel(folder);
    if (model.dimension !== dimension) throw new Error(`${bundledModel} has ${model.dimension} dimensions.`);
    const { vectors, scales } = model.sums.table;
    const own = new StaticEmbedder(bundledModel, model);
    files = {
      embedder: own,
      synonyms: new SynonymTable(model),
      pieces: {
        dimension,
        vectors,
        scales,
        vocabulary: model.vocabulary,
        piecesOf: (text) => own.piecesOf(text),
      },
    };
  }
  return files;
}

const { version, ...traits } = staticTraits;
const embedder: ImmediateEmbedder = {
  ...traits,
  space: { model: bundledModel, dimension, version },
  embed: (texts) => readFiles().embedder.embed(texts),
  embedNow: (text) => readFiles().embedder.embedNow(text),
};
const loaded: EmbeddingModels = {
  embedder,
  bundled: embedder,
  synonyms: { near: (word) => readFiles().synonyms.near(word) },
  pieces: () => readFiles().pieces,
  read: () => {
    readFiles();
  },
};

/**
 * The models that come with the service. Their files are read with the first text: that takes 80 ms, and most
 * commands embed nothing.
 */
export function loadBundled(): EmbeddingModels {
  return loaded;
}

/** Every embedder of this process, in all spaces. */
export function embeddersIn({ embedder, second, bundled }: EmbeddingModels): readonly Embedder[] {
  return second ? [embedder, second, bundled] : [embedder, bundled];
}

/** Related cosine of a model that is not measured yet: an average one. */
const unmeasured = 0.5;

/** Finds the embedder of a space among those of this process and those that `former` can still reach. */
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

/** Former models of several kinds; each space belongs to one kind at most. */
class FormerModels implements FormerEmbedders {
  readonly #kinds: readonly FormerEmbedders[];

  constructor(kinds: readonly FormerEmbedders[]) {
    this.#kinds = kinds;
  }

  of(known: FormerSpace): Embedder | undefined {
    for (const kind of this.#kinds) {
      const embedder = kind.of(known);
      if (embedder) return embedder;
    }
    return undefined;
  }

  retain(spaces: readonly FormerSpace[]): void {
    for (const kind of this.#kinds) kind.retain(spaces);
  }

  async close(): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => kind.close()));
  }
}
