import { awaitSteps } from '../support/await-steps.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import { newDatabase } from '../support/database.ts';
import { type Client, patientClient } from '../support/http-client.ts';
import { keepsOwnKey, listOperations, type Operation } from '../support/openapi.ts';
import { randomFrom } from '../support/random.ts';
import { type RawReply, sendRaw } from '../support/raw-request.ts';
import { startServer } from '../support/server.ts';
import { type BadRequest, badRequest, type Known } from './fuzz-requests.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';

const sizes = { small: { requests: 600, readAllEvery: 20 }, full: { requests: 10_000, readAllEvery: 100 } };
const groupSize = 10;
const connectionErrors = ['ECONNRESET', 'EPIPE'];

/** Generated bad requests over every operation of the OpenAPI document. */
export const fuzz: Proof = {
  name: 'fuzz',
  claim: 'no bad request gets a 5xx, leaves a half-written record, or stops the process',
  run: proveFuzz,
};

async function proveFuzz(context: ProofContext): Promise<ProofResult> {
  const { requests, readAllEvery } = sizes[context.size];
  const random = randomFrom(context.seed);
  const database = await newDatabase(context.engine);
  const server = await startServer({ databaseUrl: database.url });
  const http = patientClient(server.url, server.key);
  const statuses: Record<string, number> = {};
  try {
    const operations = (await listOperations(http)).filter(keepsOwnKey);
    const known = await writeKnown(http);
    let counts = await countAll(http);
    for (let group = 1; group <= requests / groupSize; group += 1) {
      const bad = Array.from({ length: groupSize }, () => badRequest(random.pick(operations), known, random));
      const replies = await mapConcurrently(bad, groupSize, (request) => sendChecked(http, request));
      for (const reply of replies) count(statuses, reply);
      const changed = replies.some((reply, index) => bad[index]?.changes && (reply?.status ?? 0) < 400);
      const countsNow = await countAll(http);
      demand(changed || countsNow === counts, 'refused requests changed something', counts, countsNow, bad);
      counts = countsNow;
      if (group % readAllEvery === 0) {
        await readEveryMemory(http);
        context.log(`${group * groupSize} requests: ${JSON.stringify(statuses)}`);
      }
    }
    await readEveryMemory(http);
    checkReach(statuses, operations);
    const code = await server.stop();
    demand(code === 0, `SIGTERM ended with ${code}`, server.output());
  } finally {
    await server.kill();
    await database.drop();
  }
  return { counted: { requests, ...statuses } };
}

/** Sends one bad request; its answer, or undefined where the server may hang up without one. */
async function sendChecked(http: Client, request: BadRequest): Promise<RawReply | undefined> {
  const headers = { authorization: `Bearer ${http.key}`, ...request.headers };
  const shown = () => `${request.method} ${request.path} ${JSON.stringify(headers)} ${String(request.body)}`;
  let reply: RawReply;
  try {
    reply = await sendRaw(http.url, { ...request, headers });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hungUp = connectionErrors.includes(code ?? '');
    demand(hungUp && request.large, `the connection broke: ${message}`, shown());
    return undefined;
  }
  if (reply.status < 400 || request.method === 'HEAD') {
    demand(reply.status < 500, `answer ${reply.status}`, shown());
    return reply;
  }
  const body = parse(reply.text);
  const title = `answer ${reply.status}`;
  demand(reply.status < 500 || reply.status === 503, title, shown(), reply.text);
  if (reply.status === 503)
    demand(typeof body.retryAfter === 'number', `${title} without retryAfter`, shown(), reply.text);
  if (body.jsonrpc === '2.0') demandMcpError(body, title, shown(), reply.text);
  else demandError(body, reply, title, shown());
  return reply;
}

function demandError(body: Record<string, unknown>, reply: RawReply, title: string, shown: string): void {
  for (const field of ['error', 'code', 'requestId'])
    demand(typeof body[field] === 'string', `${title} without ${field}`, shown, reply.text);
  demand(reply.headers['x-request-id'] === body.requestId, `${title}: ids differ`, shown, reply.text);
}

/** Errors of `/mcp` have the form of JSON-RPC 2.0. */
function demandMcpError(body: Record<string, unknown>, title: string, shown: string, text: string): void {
  const { code, message } = (body.error ?? {}) as Record<string, unknown>;
  demand(Number.isInteger(code), `${title} without a code`, shown, text);
  demand(typeof message === 'string' && message !== '', `${title} without a message`, shown, text);
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function count(statuses: Record<string, number>, reply: RawReply | undefined): void {
  const status = reply?.status ?? 'closed';
  statuses[status] = (statuses[status] ?? 0) + 1;
}

/** Some records to be reached by what is only partly wrong. */
async function writeKnown(http: Client): Promise<Known> {
  const memories: string[] = [];
  const conversations: string[] = [];
  const name = 'known-name';
  for (let index = 0; index < 12; index += 1) {
    const body = { content: `known memory ${index}`, topics: ['known'], conversationId: 'NEW' };
    const reply = await http.post<{ data: { id: string; conversationId: string } }>(
      '/api/memories',
      index === 0 ? { ...body, name } : body,
    );
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    memories.push(reply.body.data.id);
    conversations.push(reply.body.data.conversationId);
  }
  return { memories, conversations, name };
}

async function countAll(http: Client): Promise<string> {
  // Topics and facts of a memory come after its create was answered.
  await awaitSteps(http, 20);
  const paths = ['/api/memories?limit=1', '/api/conversations?limit=1', '/api/topics?limit=1'];
  const counts = await mapConcurrently(paths, paths.length, async (path) => {
    const reply = await http.get<{ pagination: { count: number } }>(path);
    demand(reply.status === 200, `${path} answered ${reply.status}`, reply.text);
    return reply.body.pagination.count;
  });
  return counts.join(' ');
}

/** Every memory of every page can be read, and belongs to a conversation that can be read. */
async function readEveryMemory(http: Client): Promise<void> {
  const conversations = new Set<string>();
  for (let offset = 0; ; offset += 1_000) {
    const page = await http.get<{ data: { id: string; conversationId: string }[] }>(
      `/api/memories?limit=1000&offset=${offset}`,
    );
    if (page.body.data.length === 0) break;
    await mapConcurrently(page.body.data, groupSize, async ({ id, conversationId }) => {
      conversations.add(conversationId);
      const reply = await http.get(`/api/memories/${id}?detail=full`);
      demand(reply.status === 200, `listed memory ${id} answers ${reply.status}`, reply.text);
    });
  }
  await mapConcurrently([...conversations], groupSize, async (id) => {
    const reply = await http.get(`/api/conversations/${id}/timeline`);
    demand(reply.status === 200, `conversation ${id} answers ${reply.status}`, reply.text);
  });
}

/** The generator must reach past the first check: enough of each kind of refusal, and some successes. */
function checkReach(statuses: Readonly<Record<string, number>>, operations: readonly Operation[]): void {
  demand(operations.length >= 30, `only ${operations.length} operations in the OpenAPI document`);
  for (const status of ['200', '400', '401', '404', '405', '415', '422'])
    demand((statuses[status] ?? 0) > 0, `no answer was ${status}`, statuses);
  const sent = Object.values(statuses).reduce((sum, times) => sum + times, 0);
  demand((statuses.closed ?? 0) <= sent / 100, 'too many large requests got no answer', statuses);
}
