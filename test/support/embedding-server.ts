import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadBundled } from '../../src/embedding/load-models.ts';

/** What the stand-in does with the next requests. */
type Behaviour =
  | { readonly kind: 'answers' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string; readonly body?: string }
  | {
      readonly kind:
        | 'hangs'
        | 'drops'
        | 'lacksOne'
        | 'wrongDimension'
        | 'nan'
        | 'brokenJson'
        | 'huge'
        | 'reversed';
    };

interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
  readonly authorization: string | undefined;
}

export interface EmbeddingServer {
  /** Up to `/v1`. */
  readonly url: string;
  /** Those that came, in order. */
  readonly requests: readonly EmbeddingRequest[];
  /** Requests that were being worked on at once, at most. */
  readonly mostAtOnce: number;
  /** The first requests from now on get these, one each; all others the last `always`. */
  next(...behaviours: readonly Behaviour[]): void;
  always(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export interface EmbeddingServerOptions {
  readonly dimension: number;
  /** A port that was free a moment ago; any by default. */
  readonly port?: number;
  /** Milliseconds that an answer takes. */
  readonly delayMs?: number;
}

/**
 * Vectors of any dimension that keep the meaning of the bundled model: each of its numbers goes to a place of the
 * vector with a sign, both by its position.
 */
export function fakeVector(text: string, dimension: number): number[] {
  const vector: number[] = new Array(dimension).fill(0);
  loadBundled()
    .bundled.embedNow(text)
    .forEach((number, i) => {
      vector[(i * 7919) % dimension] += i % 3 === 0 ? -number : number;
    });
  return vector;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function refuse(
  reply: ServerResponse,
  { status, retryAfter, body = '' }: Behaviour & { kind: 'status' },
): void {
  if (retryAfter !== undefined) reply.setHeader('retry-after', retryAfter);
  reply.writeHead(status).end(body);
}

function respondWith(reply: ServerResponse, kind: Behaviour['kind'], vectors: number[][]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  if (kind === 'lacksOne') data.pop();
  if (kind === 'wrongDimension') for (const item of data) item.embedding.push(0);
  if (kind === 'reversed') data.reverse();
  let text = JSON.stringify({ object: 'list', data });
  if (kind === 'nan') text = text.replace(/"embedding":\[[^,]+/, '"embedding":[null');
  if (kind === 'brokenJson') text = text.slice(0, text.length / 2);
  if (kind === 'huge') text = `${' '.repeat(50_000_000)}${text}`;
  reply.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** A local server with `/v1/embeddings` that does what a test says. */
export async function startEmbeddingServer(options: EmbeddingServerOptions): Promise<EmbeddingServer> {
  const { dimension, delayMs = 0 } = options;
  const requests: EmbeddingRequest[] = [];
  let queued: Behaviour[] = [];
  let usual: Behaviour = { kind: 'answers' };
  let atOnce = 0;
  let mostAtOnce = 0;
  const response = async (request: IncomingMessage, reply: ServerResponse) => {
    const sent = JSON.parse(await bodyOf(request)) as Omit<EmbeddingRequest, 'authorization'>;
    requests.push({ ...sent, authorization: request.headers.authorization });
    const behaviour = queued.shift() ?? usual;
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
    if (behaviour.kind === 'status') return refuse(reply, behaviour);
    if (behaviour.kind === 'hangs') return;
    if (behaviour.kind === 'drops') return void request.socket.destroy();
    respondWith(
      reply,
      behaviour.kind,
      sent.input.map((text) => fakeVector(text, dimension)),
    );
  };
  const server = createServer((request, reply) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    reply.on('close', () => atOnce--);
    if (request.url !== '/v1/embeddings') reply.writeHead(404).end();
    else void response(request, reply).catch(() => reply.destroy());
  });
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    next: (...behaviours) => {
      queued = [...behaviours];
    },
    always: (behaviour) => {
      usual = behaviour;
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
