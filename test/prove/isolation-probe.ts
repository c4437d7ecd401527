import type { Client, Reply } from '../support/http-client.ts';
import { exampleOf, type Operation } from '../support/openapi.ts';
import { demand } from './proof.ts';

/** Ids of one user's records (or of nobody's), by what they identify. */
export interface Ids {
  memory: string;
  otherMemory: string;
  conversation: string;
  topic: string;
  fact: string;
  artifact: string;
  import: string;
  narrative: string;
  key: string;
  name: string;
}

/** What must never be seen: ids and words of the other user. */
export interface Secrets {
  ids: Ids;
  /** An id and a name of each kind that nobody has, each as long as the other user's. */
  unknown: Ids;
  all: readonly string[];
}

/** Asks one operation for the other user's records, then for records that nobody has: the answers are the same. */
export async function probeOperation(http: Client, operation: Operation, secrets: Secrets): Promise<void> {
  const title = `${operation.method} ${operation.path}`;
  const foreign = await request(http, operation, secrets.ids);
  const unknown = await request(http, operation, secrets.unknown);
  for (const secret of secrets.all)
    demand(!foreign.shown.includes(secret), `${title} shows ${secret} of another user`, foreign.shown);
  demand(foreign.status < 500, `${title} answers ${foreign.status}`, foreign.shown);
  if (!asksForIds(operation)) return;
  const comparable = foreign.status >= 400 || operation.method === 'GET' || repeating.test(operation.path);
  demand(
    foreign.status === unknown.status && (!comparable || foreign.shown === unknown.shown),
    `${title} answers another user's record unlike an unknown one`,
    `${foreign.status} ${foreign.shown}`,
    `${unknown.status} ${unknown.shown}`,
  );
}

/** Changes whose answers say which of the ids asked for failed; everything else that changes makes new records. */
const repeating = /\/(batch|bulk|bulk-tag|bulk-update)$/;

function asksForIds(operation: Operation): boolean {
  const names = [
    ...operation.parameters.map((parameter) => parameter.name),
    ...Object.keys(operation.body?.properties ?? {}),
  ];
  return operation.path.includes('{') || names.some((name) => /id$|ids$/i.test(name));
}

/** `shown` is the answer without what differs between any two requests. */
async function request(
  http: Client,
  operation: Operation,
  ids: Ids,
): Promise<{ status: number; shown: string }> {
  const asked = new Set<string>();
  const give = (name: string) => {
    const id = chooseId(operation.path, name, ids);
    if (id !== undefined) asked.add(id);
    return id;
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(give(name) ?? ids.memory),
  );
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (place !== 'query') continue;
    const value = give(name) ?? (required ? exampleOf(schema ?? {}, give, name) : undefined);
    if (value !== undefined) query.set(name, String(value));
  }
  const body = operation.body && exampleOf(operation.body, give);
  const reply = await http.send(operation.method, query.size > 0 ? `${path}?${query}` : path, { body });
  return { status: reply.status, shown: normalise(reply, asked) };
}

/** The other user's id where a parameter or field asks for one; undefined where it does not. */
function chooseId(path: string, name: string, ids: Ids): string | undefined {
  if (/otherMemoryId|targetMemoryId|resolutionMemoryId/.test(name)) return ids.otherMemory;
  if (/conversationIds?$/i.test(name)) return ids.conversation;
  if (/topicId/i.test(name)) return ids.topic;
  if (name === 'name' && path.includes('{name}')) return ids.name;
  if (name === 'q' || name === 'query') return ids.name;
  if (name === 'idPrefix') return ids.memory.slice(0, 8);
  if (name === 'ids' || /memoryId$/i.test(name) || name === 'expectedHeadId') return ids.memory;
  if (name !== 'id') return undefined;
  if (path.includes('/apikeys/')) return ids.key;
  if (path.includes('/topics/')) return ids.topic;
  if (path.includes('/facts/')) return ids.fact;
  if (path.includes('/artifacts/')) return ids.artifact;
  if (path.includes('/imports/')) return ids.import;
  if (path.includes('/narratives/')) return ids.narrative;
  return path.includes('/conversations/') ? ids.conversation : ids.memory;
}

/** A success may repeat what was asked for (a filter, a missing id); an error never does. */
function normalise(reply: Reply<unknown>, asked: ReadonlySet<string>): string {
  const text = withoutTimes(reply.text);
  if (reply.status >= 400) return text;
  return [...asked].reduce((shown, id) => shown.replaceAll(id, 'ASKED'), text);
}

/** An answer without its request id and the time that it took. */
export function withoutTimes(text: string): string {
  return text
    .replaceAll(/"requestId":"[^"]*"/g, '"requestId":"-"')
    .replaceAll(/"searchTime":[0-9.e-]+/g, '"searchTime":0');
}
