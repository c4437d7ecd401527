import { type FormerEmbedders, type FormerSpace, spaceName } from '../../domain/embedding/embedder.ts';
import { OpenAiEmbedder, type RequestLimits, type ServerSource } from './openai-embedder.ts';

/** As the configuration names them. */
export interface ServerSettings {
  readonly embedderUrl: string | undefined;
  readonly embedderModel: string;
  readonly embedderApiKey: string | undefined;
  readonly embedderDimensions: number | undefined;
  readonly embedderSendDimensions: boolean;
  readonly embedderQueryPrefix: string;
  readonly embedderDocumentPrefix: string;
  readonly embedderInputMax: number;
  readonly embedderBatchSize: number;
  readonly embedderConcurrency: number;
  readonly embedderTimeoutMs: number;
  readonly embedderQueryTimeoutMs: number;
}

function needed<N extends keyof ServerSettings>(
  settings: Partial<ServerSettings>,
  name: N,
): NonNullable<ServerSettings[N]> {
  const value = settings[name];
  if (value === undefined || value === null) throw new Error(`${name} is needed for an embedding server`);
  return value;
}

/** The embedder of a server; asks nothing yet. */
export function serverEmbedder(settings: Partial<ServerSettings>): OpenAiEmbedder {
  return new OpenAiEmbedder({
    url: endpointOf(needed(settings, 'embedderUrl')),
    model: needed(settings, 'embedderModel'),
    apiKey: settings.embedderApiKey,
    dimension: needed(settings, 'embedderDimensions'),
    sendsDimension: needed(settings, 'embedderSendDimensions'),
    prefixes: {
      query: needed(settings, 'embedderQueryPrefix'),
      document: needed(settings, 'embedderDocumentPrefix'),
    },
    longestInput: needed(settings, 'embedderInputMax'),
    ...limitsOf(settings),
  });
}

/** How much a server is asked at once, and how long it is waited for. */
function limitsOf(settings: Partial<ServerSettings>): RequestLimits {
  return {
    batchSize: needed(settings, 'embedderBatchSize'),
    concurrency: needed(settings, 'embedderConcurrency'),
    timeoutMs: needed(settings, 'embedderTimeoutMs'),
    queryTimeoutMs: needed(settings, 'embedderQueryTimeoutMs'),
  };
}

/** Whether the URL ends at `/v1` or names the endpoint itself. */
function endpointOf(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base.endsWith('/embeddings') ? base : `${base}/embeddings`;
}

/** By hand: a library of schemas would be loaded by every command that opens a store. */
function isSource(value: unknown): value is ServerSource {
  if (typeof value !== 'object' || value === null) return false;
  const { url, sendsDimension, prefixes, longestInput } = value as Partial<
    Record<keyof ServerSource, unknown>
  >;
  const { query, document } = (prefixes ?? {}) as { query?: unknown; document?: unknown };
  return (
    typeof url === 'string' &&
    URL.canParse(url) &&
    typeof sendsDimension === 'boolean' &&
    typeof query === 'string' &&
    typeof document === 'string' &&
    Number.isInteger(longestInput) &&
    Number(longestInput) >= 1
  );
}

/**
 * Servers whose model served before the configured one does: asked as they were then, with the deadlines of today. The
 * key goes to the origin it is configured for, and to no other.
 */
export class FormerServers implements FormerEmbedders {
  readonly #settings: Partial<ServerSettings>;
  readonly #embedders = new Map<string, OpenAiEmbedder | undefined>();

  constructor(settings: Partial<ServerSettings>) {
    this.#settings = settings;
  }

  of(known: FormerSpace): OpenAiEmbedder | undefined {
    const name = nameOf(known);
    if (!this.#embedders.has(name)) this.#embedders.set(name, this.#make(known));
    return this.#embedders.get(name);
  }

  retain(spaces: readonly FormerSpace[]): void {
    const names = new Set(spaces.map(nameOf));
    for (const [name, embedder] of this.#embedders) {
      if (names.has(name)) continue;
      embedder?.close();
      this.#embedders.delete(name);
    }
  }

  async close(): Promise<void> {
    this.retain([]);
  }

  #make({ space, source }: FormerSpace): OpenAiEmbedder | undefined {
    const read = readSource(source);
    if (!read) return undefined;
    const { embedderUrl, embedderApiKey } = this.#settings;
    const isSameOrigin =
      embedderUrl !== undefined && originOf(endpointOf(embedderUrl)) === originOf(read.url);
    const embedder = new OpenAiEmbedder({
      ...read,
      model: space.model,
      dimension: space.dimension,
      apiKey: isSameOrigin ? embedderApiKey : undefined,
      ...limitsOf(this.#settings),
    });
    return spaceName(embedder.space) === spaceName(space) ? embedder : undefined;
  }
}

/** A server may move: then its space is asked elsewhere. */
function nameOf({ space, source = '' }: FormerSpace): string {
  return `${spaceName(space)} ${source}`;
}

/** Undefined for none, and for one that this version does not understand. */
function readSource(source: string | undefined): ServerSource | undefined {
  try {
    const read: unknown = JSON.parse(source ?? 'null');
    return isSource(read) ? read : undefined;
  } catch {
    // Not written by this program: its space has no model, and searches there are labelled degraded.
    return undefined;
  }
}

function originOf(url: string): string {
  return new URL(url).origin;
}
