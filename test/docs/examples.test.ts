import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { keyScopes } from '../../src/domain/api-keys/api-key.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

interface Example {
  /** By which later examples name its answer. */
  readonly label: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** What the answer must hold; undefined where only success is promised. */
  readonly expected: unknown;
}

const block =
  /```http(?: (?<label>\w+))?\n(?<method>[A-Z]+) (?<path>\S+)\n(?<body>[\s\S]*?)```(?:\s*```json\n(?<expected>[\s\S]*?)```)?/g;

function examplesOf(file: string): Example[] {
  return [...readFileSync(`${docs}/${file}`, 'utf8').matchAll(block)].map(({ groups = {} }) => ({
    label: groups.label,
    method: groups.method,
    path: groups.path,
    body: groups.body.trim(),
    expected: groups.expected === undefined ? undefined : JSON.parse(groups.expected),
  }));
}

/** `{{data.id}}` stands for that member of the answer before, `{{label.data.id}}` for that of the one so labelled. */
function fill(text: string, { last, labelled }: ApiResponses): string {
  return text.replace(/\{\{([\w.]+)\}\}/g, (_, path: string) => {
    const keys = path.split('.');
    const response = labelled.get(keys[0]) ?? last;
    const rest = labelled.has(keys[0]) ? keys.slice(1) : keys;
    return String(rest.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], response));
  });
}

interface ApiResponses {
  last: unknown;
  readonly labelled: Map<string, unknown>;
}

/** Pages show the first items of a list: the rest of the answer's list is left out of the comparison. */
function shownPart(response: unknown, expected: unknown): unknown {
  if (Array.isArray(response) && Array.isArray(expected)) {
    return expected.map((item, i) => shownPart(response[i], item));
  }
  if (typeof response !== 'object' || response === null || typeof expected !== 'object' || expected === null)
    return response;
  return Object.fromEntries(
    Object.entries(response).map(([key, value]) => [
      key,
      shownPart(value, (expected as Record<string, unknown>)[key]),
    ]),
  );
}

/** Pages about what is derived: it is done by the time of the next example. */
const derivedPages = new Set(['entities.md']);
const pages = readdirSync(docs).filter((file) => file.endsWith('.md') && examplesOf(file).length > 0);

describe.each(engines)('examples of the documentation on %s', (engine) => {
  const app = useApp(engine);

  async function send(http: Client, { method, path, body }: Example, responses: ApiResponses) {
    const target = fill(path, responses);
    if (method === 'GET') return http.get(target);
    if (method === 'DELETE') return http.delete(target);
    const parsed = body === '' ? undefined : JSON.parse(fill(body, responses));
    if (method === 'PUT') return http.put(target, parsed);
    return method === 'PATCH' ? http.patch(target, parsed) : http.post(target, parsed);
  }

  it.each(pages)('the examples of %s return what the page says', async (page) => {
    const http = await app.newClient(keyScopes);
    const answers: ApiResponses = { last: undefined, labelled: new Map() };
    for (const example of examplesOf(page)) {
      if (derivedPages.has(page)) await deriveAll(app.services);
      const response = await send(http, example, answers);
      const what = `${example.method} ${example.path}: ${JSON.stringify(response.body)}`;
      const refused = (example.expected as { code?: string } | undefined)?.code !== undefined;
      expect(response.status, what).toSatisfy((status: number) =>
        refused ? status >= 400 && status < 500 : status < 300,
      );
      if (example.expected !== undefined) {
        expect(shownPart(response.body, example.expected), what).toMatchObject(example.expected as object);
      }
      answers.last = response.body;
      if (example.label !== undefined) answers.labelled.set(example.label, response.body);
    }
  });
});
