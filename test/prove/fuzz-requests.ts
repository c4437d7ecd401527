import { randomUUID } from 'node:crypto';
import { exampleOf, type Operation } from '../support/openapi.ts';
import type { Random } from '../support/random.ts';
import type { RawRequest } from '../support/raw-request.ts';
import { badBytes, badHeaders, badIds, badJson, badQueries, badValues, oddMethods } from './fuzz-values.ts';

/** Ids of records that are really there, so that a bad request can reach past the first check. */
export interface Known {
  memories: readonly string[];
  conversations: readonly string[];
  name: string;
}

export interface BadRequest extends RawRequest {
  /** So large that the server may answer and close before it has read it all. */
  large: boolean;
  changes: boolean;
}

interface Draft {
  method: string;
  path: string;
  query: string[];
  headers: Record<string, string>;
  body: unknown;
  raw: string | Uint8Array | undefined;
}

type Spoil = (draft: Draft, random: Random, operation: Operation) => void;

/** More than this does not fit into the buffers of a connection. */
const largeBytes = 32 * 1024;

/** How a valid request is made a bad one, and how often against the others. */
const spoils: readonly [number, Spoil][] = [
  [30, spoilField],
  [8, dropField],
  [6, replaceBody],
  [10, sendBadJson],
  [6, sendBadBytes],
  [14, spoilQuery],
  [12, spoilPath],
  [6, spoilHeaders],
  [5, oddMethod],
  [1, oversize],
];

/** A request for one operation with one to three things wrong with it. */
export function badRequest(operation: Operation, known: Known, random: Random): BadRequest {
  const draft = validDraft(operation, known, random);
  const wheel = spoils.flatMap(([weight, spoil]) => Array<Spoil>(weight).fill(spoil));
  for (let count = random.int(1, 3); count > 0; count -= 1) random.pick(wheel)(draft, random, operation);
  const query = draft.query.length > 0 ? `?${draft.query.join('&')}` : '';
  const request: BadRequest = {
    method: draft.method,
    path: draft.path + query,
    headers: draft.headers,
    large: false,
    changes: !['GET', 'HEAD', 'OPTIONS'].includes(draft.method),
  };
  const body = draft.raw ?? (draft.body === undefined ? undefined : toJson(draft.body));
  if (body !== undefined) {
    request.body = body;
    request.large = Buffer.byteLength(body) > largeBytes;
  }
  return request;
}

function validDraft(operation: Operation, known: Known, random: Random): Draft {
  const give = (name: string) => {
    if (random.chance(0.2)) return /ids?$/i.test(name) ? randomUUID() : undefined;
    if (/conversationIds?$/i.test(name)) return random.pick(known.conversations);
    if (name === 'ids' || /memoryId$/i.test(name)) return random.pick(known.memories);
    if (name === 'name' && operation.path.includes('{name}')) return known.name;
    // Our own key is never offered: revoking it would end the experiment.
    if (name === 'id' && !operation.path.includes('/apikeys/')) return random.pick(known.memories);
    return undefined;
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(give(name) ?? randomUUID())),
  );
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || random.chance(0.3)))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema ?? {}, give, name)))}`);
  const body = operation.body && exampleOf(operation.body, give);
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  return { method: operation.method, path, query, headers, body, raw: undefined };
}

function spoilField(draft: Draft, random: Random, operation: Operation): void {
  const fields = Object.keys(operation.body?.properties ?? {});
  if (fields.length === 0) {
    spoilQuery(draft, random, operation);
    return;
  }
  const body = isRecord(draft.body) ? draft.body : {};
  const field = random.pick([...fields, ...fields, '__proto__', 'constructor', 'toString']);
  const value = random.pick(badValues);
  const inside = body[field];
  const nested = Array.isArray(inside) && random.chance(0.5);
  // Not `body[field] = value`, which would lose `__proto__`.
  const spoilt = nested ? [...inside, value] : value;
  draft.body = Object.defineProperty({ ...body }, field, { value: spoilt, enumerable: true });
}

function dropField(draft: Draft, random: Random): void {
  if (!isRecord(draft.body) || Object.keys(draft.body).length === 0) return;
  const { [random.pick(Object.keys(draft.body))]: _, ...rest } = draft.body;
  draft.body = rest;
}

function replaceBody(draft: Draft, random: Random): void {
  draft.body = random.pick(badValues);
  draft.headers['content-type'] = 'application/json';
}

function sendBadJson(draft: Draft, random: Random): void {
  draft.raw = random.pick(badJson)(toJson(draft.body ?? {}));
  draft.headers['content-type'] = 'application/json';
}

function sendBadBytes(draft: Draft, random: Random): void {
  const { bytes, headers } = random.pick(badBytes);
  draft.raw = bytes;
  Object.assign(draft.headers, headers);
}

function spoilQuery(draft: Draft, random: Random, operation: Operation): void {
  const names = operation.parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
  const name = random.pick([...names, ...names, 'limit', 'offset', 'unknown']);
  draft.query.push(`${name}${random.pick(badQueries)}`);
  if (random.chance(0.2)) draft.query.push(`${name}=again`);
}

function spoilPath(draft: Draft, random: Random, operation: Operation): void {
  const id = random.pick(badIds);
  const hasParameter = operation.path.includes('{');
  draft.path = hasParameter ? operation.path.replaceAll(/\{\w+\}/g, () => id) : `${draft.path}/${id}`;
}

function spoilHeaders(draft: Draft, random: Random): void {
  Object.assign(draft.headers, random.pick(badHeaders));
}

function oddMethod(draft: Draft, random: Random): void {
  draft.method = random.pick(oddMethods);
}

function oversize(draft: Draft, random: Random): void {
  draft.raw = JSON.stringify({ content: 'x'.repeat(random.pick([1_100_000, 3_000_000])) });
  draft.headers['content-type'] = 'application/json';
}

/** JSON with the numbers that JSON.stringify would turn into null. */
function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null')
    .replaceAll('"<1e999>"', '1e999')
    .replaceAll('"<-1e999>"', '-1e999');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
