import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { mapConcurrently } from '../support/concurrently.ts';
import { patientClient } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { demand } from './proof.ts';
import { knownSlowCount, knownSlowText, slowText } from './slow-texts.ts';

export const hostileKinds = [
  'never-reading',
  'half-sending',
  'slow-queries',
  'largest-pages',
  'largest-batches',
  'wrong-keys',
  'pipelining',
] as const;
type Kind = (typeof hostileKinds)[number];

export interface HostileOptions {
  readonly url: string;
  /** Of the one user on whose account all of them ask. */
  readonly key: string;
  readonly count: number;
  readonly random: Random;
}

interface Request {
  /** Bytes as they go onto the wire. */
  readonly bytes: string;
  /** Whether what comes is taken from the socket. */
  readonly reads: boolean;
  /** The connection is closed after this where the server does not. */
  readonly lastsMs: number;
}

const contentLength = 50_000;
const batchSize = 100;
const queryLengthMax = 2000;
const pauseMs = 10;

/** Memories as large as they may be, so that a page of them is as large as it may be. */
export async function prepareHostileStore(url: string, key: string, memories: number): Promise<void> {
  const http = patientClient(url, key);
  await mapConcurrently(
    Array.from({ length: memories }, (_, i) => i),
    4,
    async (i) => {
      const content = `${i} ${'the quick brown fox jumps over the lazy dog '.repeat(1200)}`;
      const { status } = await http.post('/api/memories', { content: content.slice(0, contentLength) });
      demand(status === 201, `a large memory was answered ${status}`);
    },
  );
}

/** Starts that many clients, of each kind about as many; `stop` tells how often each kind asked. */
export async function startHostile(options: HostileOptions) {
  const { url, key, count, random } = options;
  const page = await patientClient(url, key).get<{ data: { id: string }[] }>('/api/memories?limit=100');
  const ids = page.body.data.slice(0, batchSize).map(({ id }) => id);
  const asked: Partial<Record<Kind, number>> = {};
  const open = new Set<Socket>();
  let isStopped = false;
  const run = async (kind: Kind, own: Random) => {
    while (!isStopped) {
      asked[kind] = (asked[kind] ?? 0) + 1;
      await send(url, toRequest(kind, { key, ids, random: own }), open);
      await delay(pauseMs);
    }
  };
  const clients = Array.from({ length: count }, (_, i) =>
    run(hostileKinds[i % hostileKinds.length] ?? 'pipelining', randomFrom(random.int(0, 2 ** 31))),
  );
  const stop = async () => {
    isStopped = true;
    for (const socket of open) socket.destroy();
    await Promise.all(clients);
    return asked;
  };
  return { stop };
}

interface Material {
  readonly key: string;
  readonly ids: readonly string[];
  readonly random: Random;
}

function toRequest(kind: Kind, { key, ids, random }: Material): Request {
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const close = 'Connection: close\r\n';
  const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n${headers}\r\n`;
  const json = (body: string) =>
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const largest = '/api/memories?limit=1000';
  switch (kind) {
    case 'never-reading':
      return { bytes: get(largest, authorization).repeat(4), reads: false, lastsMs: 20_000 };
    case 'half-sending': {
      const head = `POST ${random.pick(['/api/memories', '/nowhere', '/health'])} HTTP/1.1\r\nHost: here\r\n`;
      const sent = random.chance(0.5) ? authorization : '';
      return { bytes: `${head}${sent}Content-Length: 1000\r\n\r\n{`, reads: true, lastsMs: 5000 };
    }
    case 'slow-queries': {
      const text = random.chance(0.3)
        ? knownSlowText(random.int(0, knownSlowCount - 1), queryLengthMax)
        : slowText(random, queryLengthMax);
      const body = JSON.stringify({ query: text, limit: 100, explain: true });
      const head = 'POST /api/memories/search HTTP/1.1\r\nHost: here\r\n';
      return { bytes: `${head}${authorization}${close}${json(body)}`, reads: true, lastsMs: 20_000 };
    }
    case 'largest-pages': {
      const path = random.pick([largest, '/api/memories/search?q=quick%20fox&limit=1000&explain=true']);
      return { bytes: get(path, authorization + close), reads: true, lastsMs: 20_000 };
    }
    case 'largest-batches': {
      const body = JSON.stringify({ ids, detail: 'full' });
      const head = 'POST /api/memories/batch HTTP/1.1\r\nHost: here\r\n';
      return { bytes: `${head}${authorization}${close}${json(body)}`, reads: true, lastsMs: 20_000 };
    }
    case 'wrong-keys': {
      const wrong = `Authorization: Bearer cmk_live_${random.int(1e15, 9e15)}.wrong\r\n${close}`;
      return { bytes: get('/api/memories', wrong), reads: true, lastsMs: 5000 };
    }
    case 'pipelining':
      return {
        bytes: get('/docs/static/swagger-ui-bundle.js', '') + get('/nowhere', '').repeat(1500),
        reads: false,
        lastsMs: 10_000,
      };
  }
}

async function send(url: string, { bytes, reads, lastsMs }: Request, open: Set<Socket>): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  open.add(socket);
  const late = setTimeout(() => socket.destroy(), lastsMs);
  // What the server does to such a connection is its own affair.
  socket.on('error', () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  socket.write(bytes);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  clearTimeout(late);
  open.delete(socket);
}
