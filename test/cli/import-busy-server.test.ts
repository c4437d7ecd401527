import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { runImport } from './import-process.ts';

interface Seen {
  readonly key: string;
  readonly content: string;
  readonly at: number;
}

type ApiResponse = (seen: Seen, response: ServerResponse) => void;

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that knows the user, and answers creates of memories as it is told; the real one cannot be made to. */
const stored = (response: ServerResponse, { content }: Seen) =>
  json(response, 200, { data: content.split(',').map((id) => ({ status: 201, id })) });

async function listen(answer: ApiResponse): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method === 'GET') return json(response, 200, { data: { id: 'someone' } });
    if (request.url === '/api/imports') return json(response, 201, { data: { id: 'of-this-run' } });
    const { memories } = JSON.parse(text) as { memories: { content: string }[] };
    const content = memories.map((memory) => memory.content).join();
    const one = { key: String(request.headers['idempotency-key']), content, at: performance.now() };
    seen.push(one);
    answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, seen };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function writeLines(contents: readonly string[]): string {
  const file = join(newFolder(), 'lines.jsonl');
  writeFileSync(file, contents.map((content) => JSON.stringify({ content })).join('\n'));
  return file;
}

function newFolder(): string {
  const made = newTempFolder('busy');
  closers.push(() => made.remove());
  return made.path;
}

describe('memoryd import against a server in trouble', () => {
  it('an import against a server in trouble waits as long as it is asked to, and sends the same again under the same key', async () => {
    let refusals = 2;
    const { url, seen } = await listen((one, response) => {
      if (refusals-- > 0) json(response, refusals ? 503 : 429, { error: 'busy', retryAfter: 1 });
      else stored(response, one);
    });
    const end = await runImport(client(url, 'key'), writeLines(['only']));
    expect(end).toMatchObject({ code: 0, out: ['imported 1, refused 0, skipped 0'], err: [] });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen).toHaveLength(3);
    const gaps = seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? at));
    for (const gap of gaps) expect(gap).toBeGreaterThan(950);
  });

  it('an import against a server in trouble sends again what was cut off', async () => {
    const { url, seen } = await listen((one, response) => {
      if (seen.length === 1) response.destroy();
      else stored(response, one);
    });
    const end = await runImport(client(url, 'key'), writeLines(['first', 'second', 'third']));
    expect(end).toMatchObject({ code: 0, out: ['imported 3, refused 0, skipped 0'], err: [] });
    expect(seen.map(({ content }) => content)).toEqual(['first,second,third', 'first,second,third']);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  });

  it('an import against a server in trouble finds the record that a request is refused for', async () => {
    const { url, seen } = await listen((one, response) => {
      if (one.content.includes('second')) json(response, 413, { error: 'The body is too large.' });
      else stored(response, one);
    });
    const end = await runImport(client(url, 'key'), writeLines(['first', 'second', 'third', 'fourth']));
    expect(end).toMatchObject({
      code: 1,
      out: ['imported 3, refused 1, skipped 0'],
      err: ['lines.jsonl, line 2 refused: The body is too large.'],
    });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(5);
  });

  it('an import against a server in trouble stops when it is asked to wait too long', async () => {
    const { url } = await listen((_, response) =>
      json(response, 503, { error: 'The disk is full.', retryAfter: 3600 }),
    );
    const stopped = await runImport(client(url, 'key'), writeLines(['first']));
    expect(stopped).toMatchObject({ code: 1, out: ['imported 0, refused 0, skipped 0'] });
    expect(stopped.err.join()).toMatch(/The disk is full.*again to go on/);
  });

  it('an import against a server in trouble says so when nothing listens', async () => {
    const { url } = await listen((_, response) => json(response, 500, {}));
    for (const close of closers.splice(0)) close();
    const end = await runImport(client(url, 'key'), writeLines(['never']));
    expect(end).toMatchObject({ code: 1, out: [] });
    expect(end.err.join()).toMatch(/not available: .*ECONNREFUSED/);
  });
});
