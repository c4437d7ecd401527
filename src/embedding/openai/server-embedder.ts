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
export function limitsOf(settings: Partial<ServerSettings>): RequestLimits {
  return {
    batchSize: needed(settings, 'embedderBatchSize'),
    concurrency: needed(settings, 'embedderConcurrency'),
    timeoutMs: needed(settings, 'embedderTimeoutMs'),
    queryTimeoutMs: needed(settings, 'embedderQueryTimeoutMs'),
  };
}

/** Whether the URL ends at `/v1` or names the endpoint itself. */
export function endpointOf(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base.endsWith('/embeddings') ? base : `${base}/embeddings`;
}
