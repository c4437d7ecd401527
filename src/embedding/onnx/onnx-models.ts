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
/** Result of `fingerprintOf`, which would make every command that opens a store read 22 MB. */
export const bundledFingerprint = '0b349481ac02';
/** Result of `calibrate`. */
const bundledRelatedCosine = 0.25;

export interface OnnxSettings {
  /** Empty: the encoder that comes with the service. */
  readonly embedderFolder: string;
  readonly embedderQueryPrefix: string;
  readonly embedderDocumentPrefix: string;
}

/** The encoder of a space, as stored with the space, for a process that is configured for another one. */
interface EncoderSource {
  /** Empty: the encoder that comes with the service, in any place of installation. */
  readonly folder: string;
  readonly prefixes: Readonly<Record<TextKind, string>>;
}

/** Does not load the model yet. @throws ModelFileError if the folder has no supported model */
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

/** The encoder's state `missing`, if models in ONNX format cannot run here; undefined if they can. */
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

/** The first line of the loader's message, which may name the missing library. */
function detailOf({ cause }: NoRuntimeError): string | undefined {
  return cause instanceof Error ? cause.message.split('\n')[0] : undefined;
}

/** Formerly configured encoders, read from the folders that they had then. */
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

/** Undefined if the model is gone or was replaced: searches in its space are then labelled degraded. */
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
