import { type FormerEmbedders, type FormerSpace, spaceName } from '../../domain/embedding/embedder.ts';
import { ModelFileError } from '../static/safetensors.ts';
import { type EncoderSource, encoderOfSource, missingRuntime } from './onnx-models.ts';
import type { ThreadEncoder } from './thread-encoder.ts';

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
