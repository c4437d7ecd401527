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

/** Of the model that comes with the service. */
export const bundledModel = 'static-en-256';
const dimension = 256;
const folder = fileURLToPath(new URL(`../../models/${bundledModel}`, import.meta.url));

/** What finding by meaning needs. */
export interface EmbeddingModels {
  readonly embedder: Embedder;
  /** Of a second space: in place of `embedder` for what it has embedded. */
  readonly second?: Embedder;
  /** The model that comes with the service: for short texts, whatever finds memories. */
  readonly bundled: ImmediateEmbedder;
  readonly synonyms: Synonyms;
  /** Word pieces of the bundled model. @throws ModelFileError */
  readonly pieces: () => PieceTable;
  /** Set where `embedder` asks a server. */
  readonly server?: EmbedderServer;
  /** Set where the configuration asks for an encoder in the process, even if it cannot be had there. */
  readonly encoder?: LocalEncoder;
  /** What served before the configuration named another; where it is absent, spaces of servers before cannot be asked. */
  readonly former?: FormerEmbedders;
  /** Reads the files of the bundled model, which otherwise the first text does. @throws ModelFileError */
  readonly read?: () => void;
}

/** What the settings say of models; the server's name and place are needed for `openai` only. */
export interface ModelSettings extends Partial<ServerSettings>, Partial<OnnxSettings> {
  readonly embedder: 'static' | 'bundled' | 'onnx' | 'openai' | 'none';
}

/** One for each configuration: who writes and who searches share one view of the servers. */
const bySettings = new WeakMap<ModelSettings, EmbeddingModels>();

/** The parts that the settings name; undefined for `none`. */
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

/** What the configuration names in place of the static model. @throws ModelFileError */
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

/** The parts that come with the service. Their files take 80 ms to read, and most commands embed nothing. */
export function loadBundled(): EmbeddingModels {
  return loaded;
}

/** Every embedder of this process, whatever space it is of. */
export function embeddersIn({ embedder, second, bundled }: EmbeddingModels): readonly Embedder[] {
  return second ? [embedder, second, bundled] : [embedder, bundled];
}

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

/** Models of several kinds that served before; each space is of one kind at most. */
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
