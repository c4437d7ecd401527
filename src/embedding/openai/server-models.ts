import { type FormerEmbedders, type FormerSpace, spaceName } from '../../domain/embedding/embedder.ts';
import { OpenAiEmbedder, type RequestLimits, type ServerSource } from './openai-embedder.ts';

/** Settings of an embedding server, with their names in the configuration. */
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

/** The embedder of a server; sends no request yet. */
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

/** Sizes, concurrency and deadlines of requests to a server. */
function limitsOf(settings: Partial<ServerSettings>): RequestLimits {
  return {
    batchSize: needed(settings, 'embedderBatchSize'),
    concurrency: needed(settings, 'embedderConcurrency'),
    timeoutMs: needed(settings, 'embedderTimeoutMs'),
    queryTimeoutMs: needed(settings, 'embedderQueryTimeoutMs'),
  };
}

/** URL of the endpoint; the given URL may end with `/v1` or name the endpoint itself. */
function endpointOf(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base.endsWith('/embeddings') ? base : `${base}/embeddings`;
}

/** Checked by hand: every command that opens a store would load a schema library. */
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
 * Embedders of formerly configured servers: with the options of that time and the
 * current deadlines. The API key is sent only to the origin for which it is configured.
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

/** Key of an embedder. It includes the source: if a server moves, its space gets another embedder. */
function nameOf({ space, source = '' }: FormerSpace): string {
  return `${spaceName(space)} ${source}`;
}

/** Undefined if the source is missing or this version cannot read it. */
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
