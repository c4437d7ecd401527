import { fileURLToPath } from 'node:url';
import {
  type FormerEmbedders,
  type FormerSpace,
  type LocalEncoder,
  spaceName,
  type TextKind,
} from '../../domain/embedding/embedder.ts';
import { ModelFileError } from '../model-file.ts';
import { readModelFolder } from './model-folder.ts';
import { loadRuntime, NoRuntimeError } from './runtime.ts';
import { ThreadEncoder } from './thread-encoder.ts';

/** The encoder that comes with the service. */
const bundledEncoder = 'minilm-l6-int8';
const bundledFolder = fileURLToPath(new URL(`../../../models/${bundledEncoder}`, import.meta.url));
/** As `fingerprintOf` gives it: every command that opens a store would read 22 MB for it. */
export const bundledFingerprint = '0b349481ac02';
/** As `calibrate` measures it. */
const bundledRelatedCosine = 0.25;

export interface OnnxSettings {
  /** Empty: the encoder that comes with the service. */
  readonly embedderFolder: string;
  readonly embedderQueryPrefix: string;
  readonly embedderDocumentPrefix: string;
}

/** What a space remembers of its encoder, for a process that is configured for another one. */
interface EncoderSource {
  /** Empty: the encoder that comes with the service, wherever it is installed. */
  readonly folder: string;
  readonly prefixes: Readonly<Record<TextKind, string>>;
}

/** Loads no model yet. @throws ModelFileError for a folder that has none, or one that is not supported */
export function onnxEncoder({
  embedderFolder = '',
  embedderQueryPrefix = '',
  embedderDocumentPrefix = '',
}: Partial<OnnxSettings>): ThreadEncoder {
  const prefixes = { query: embedderQueryPrefix, document: embedderDocumentPrefix };
  return encoderOfSource({ folder: embedderFolder, prefixes });
}

/** @throws ModelFileError */
function encoderOfSource({ folder, prefixes }: EncoderSource): ThreadEncoder {
  const model = readModelFolder(folder === '' ? bundledFolder : folder);
  const isAsMeasured = folder === '' && prefixes.query === '' && prefixes.document === '';
  return new ThreadEncoder({
    model,
    prefixes,
    source: JSON.stringify({ folder: folder === '' ? '' : model.folder, prefixes } satisfies EncoderSource),
    relatedCosine: isAsMeasured ? bundledRelatedCosine : undefined,
    fingerprint: folder === '' ? bundledFingerprint : undefined,
  });
}

/** Why no model in ONNX format can be run here, as a state to be shown; undefined where one can. */
export function missingRuntime(model: string): LocalEncoder | undefined {
  try {
    loadRuntime();
    return undefined;
  } catch (error) {
    if (!(error instanceof NoRuntimeError)) throw error;
    const health = { state: 'missing', reason: error.message } as const;
    return {
      model,
      health,
      watch: (changed) => changed(health, detailOf(error)),
      warm: async () => undefined,
      close: async () => undefined,
    };
  }
}

/** What the loader of libraries says, such as the one that it misses. */
function detailOf({ cause }: NoRuntimeError): string | undefined {
  return cause instanceof Error ? cause.message.split('\n')[0] : undefined;
}

/** Encoders that served before the configuration named another embedder, read from the folder where they were. */
export class FormerEncoders implements FormerEmbedders {
  readonly #encoders = new Map<string, ThreadEncoder | undefined>();
  readonly #closing = new Set<Promise<void>>();

  of(known: FormerSpace): ThreadEncoder | undefined {
    const name = spaceName(known.space);
    if (!this.#encoders.has(name)) this.#encoders.set(name, make(known));
    return this.#encoders.get(name);
  }

  retain(spaces: readonly FormerSpace[]): void {
    const names = new Set(spaces.map(({ space }) => spaceName(space)));
    for (const [name, encoder] of this.#encoders) {
      if (names.has(name)) continue;
      this.#encoders.delete(name);
      if (!encoder) continue;
      const closing = encoder.close();
      this.#closing.add(closing);
      void closing.then(() => this.#closing.delete(closing));
    }
  }

  async close(): Promise<void> {
    this.retain([]);
    await Promise.all(this.#closing);
  }
}

/** Undefined where the model is gone or another one is in its place: searches in its space are labelled degraded. */
function make({ space, source }: FormerSpace): ThreadEncoder | undefined {
  const read = readSource(source);
  if (!read || missingRuntime(space.model)) return undefined;
  try {
    const encoder = encoderOfSource(read);
    return spaceName(encoder.space) === spaceName(space) ? encoder : undefined;
  } catch (error) {
    if (error instanceof ModelFileError) return undefined;
    throw error;
  }
}

function readSource(source: string | undefined): EncoderSource | undefined {
  try {
    const read: unknown = JSON.parse(source ?? 'null');
    return isSource(read) ? read : undefined;
  } catch {
    // Not written by this program: its space has no model.
    return undefined;
  }
}

function isSource(value: unknown): value is EncoderSource {
  if (typeof value !== 'object' || value === null) return false;
  const { folder, prefixes } = value as Partial<Record<keyof EncoderSource, unknown>>;
  const { query, document } = (prefixes ?? {}) as { query?: unknown; document?: unknown };
  return typeof folder === 'string' && typeof query === 'string' && typeof document === 'string';
}
