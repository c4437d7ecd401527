import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the stand-in read it. */
export interface LlmRequest {
  readonly model: string;
  readonly system: string;
  /** JSON, as sent. */
  readonly data: { readonly text?: string; readonly later?: string; readonly earlier?: readonly string[] };
  readonly responseFormat: { readonly type: string; readonly json_schema?: { readonly schema: unknown } };
  readonly maxTokens: number | undefined;
  readonly authorization: string | undefined;
  /** Whether it offered tools, which nobody may. */
  readonly hasTools: boolean;
}

/** What the stand-in does with a request. */
export type LlmBehaviour =
  | { readonly kind: 'answers'; readonly value: unknown; readonly tokens?: number }
  /** A model that does what the text tells it: it answers with the JSON after `OUTPUT:`. */
  | { readonly kind: 'obeys' }
  /** The content of its message, whatever it is. */
  | { readonly kind: 'says'; readonly content: string; readonly finishReason?: string }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'body'; readonly body: string }
  | { readonly kind: 'hangs' | 'drops' | 'huge' };

export interface LlmServer {
  /** Up to `/v1`. */
  readonly url: string;
  /** Those that came, in order. */
  readonly requests: readonly LlmRequest[];
  /** Requests that were being worked on at once, at most. */
  readonly mostAtOnce: number;
  /** The first requests from now on get these, one each; all others the last `always`. */
  next(...behaviours: readonly LlmBehaviour[]): void;
  always(behaviour: LlmBehaviour | ((request: LlmRequest) => LlmBehaviour)): void;
  close(): Promise<void>;
}

interface SentBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format: LlmRequest['responseFormat'];
  readonly max_tokens?: number;
  readonly tools?: unknown;
}

async function requestOf(request: IncomingMessage): Promise<LlmRequest> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const sent = JSON.parse(text) as SentBody;
  const said = (role: string) => sent.messages.find((message) => message.role === role)?.content ?? '';
  return {
    model: sent.model,
    system: said('system'),
    data: JSON.parse(said('user')) as LlmRequest['data'],
    responseFormat: sent.response_format,
    maxTokens: sent.max_tokens,
    authorization: request.headers.authorization,
    hasTools: sent.tools !== undefined,
  };
}

function say(reply: ServerResponse, content: string, tokens = 100, finishReason = 'stop'): void {
  const usage = { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens };
  const message = { role: 'assistant', content };
  const body = { id: 'x', model: 'm', choices: [{ index: 0, message, finish_reason: finishReason }], usage };
  reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function obey({ data }: LlmRequest): string {
  return /OUTPUT:\s*(\{.*\})/s.exec(data.text ?? data.later ?? '')?.[1] ?? '{"entities":[],"facts":[]}';
}

function respond(reply: ServerResponse, behaviour: LlmBehaviour, request: LlmRequest): void {
  const { kind } = behaviour;
  if (kind === 'answers') say(reply, JSON.stringify(behaviour.value), behaviour.tokens);
  if (kind === 'obeys') say(reply, obey(request));
  if (kind === 'says') say(reply, behaviour.content, 100, behaviour.finishReason);
  if (kind === 'status') reply.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
  if (kind === 'body') reply.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
  if (kind === 'huge') say(reply, ' '.repeat(5_000_000));
  if (kind === 'drops') reply.destroy();
}

/** A local server with `/v1/chat/completions` that does what a test says. */
export async function startLlmServer(): Promise<LlmServer> {
  const requests: LlmRequest[] = [];
  let queued: LlmBehaviour[] = [];
  let usual: Parameters<LlmServer['always']>[0] = { kind: 'answers', value: { entities: [], facts: [] } };
  let atOnce = 0;
  let mostAtOnce = 0;
  const respondTo = async (request: IncomingMessage, reply: ServerResponse) => {
    const read = await requestOf(request);
    requests.push(read);
    respond(reply, queued.shift() ?? (typeof usual === 'function' ? usual(read) : usual), read);
  };
  const server = createServer((request, reply) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    reply.on('close', () => atOnce--);
    if (request.url !== '/v1/chat/completions') reply.writeHead(404).end();
    else void respondTo(request, reply).catch(() => reply.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
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
