import { OpenAiEmbedder, type RequestLimits } from './openai-embedder.ts';

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

function needed<T>(value: T | undefined, name: keyof ServerSettings): T {
  if (value === undefined) throw new Error(`${name} is needed for an embedding server`);
  return value;
}

/** The embedder of a server; asks nothing yet. */
export function serverEmbedder(settings: Partial<ServerSettings>): OpenAiEmbedder {
  const of = <N extends keyof ServerSettings>(name: N) => needed<ServerSettings[N]>(settings[name], name);
  return new OpenAiEmbedder({
    url: endpointOf(needed(settings.embedderUrl, 'embedderUrl')),
    model: of('embedderModel'),
    apiKey: settings.embedderApiKey,
    dimension: needed(settings.embedderDimensions, 'embedderDimensions'),
    sendsDimension: of('embedderSendDimensions'),
    prefixes: { query: of('embedderQueryPrefix'), document: of('embedderDocumentPrefix') },
    longestInput: of('embedderInputMax'),
    ...limitsOf(settings),
  });
}

/** How much a server is asked at once, and how long it is waited for. */
export function limitsOf(settings: Partial<ServerSettings>): RequestLimits {
  return {
    batchSize: needed(settings.embedderBatchSize, 'embedderBatchSize'),
    concurrency: needed(settings.embedderConcurrency, 'embedderConcurrency'),
    timeoutMs: needed(settings.embedderTimeoutMs, 'embedderTimeoutMs'),
    queryTimeoutMs: needed(settings.embedderQueryTimeoutMs, 'embedderQueryTimeoutMs'),
  };
}

/** Whether the URL ends at `/v1` or names the endpoint itself. */
export function endpointOf(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base.endsWith('/embeddings') ? base : `${base}/embeddings`;
}
