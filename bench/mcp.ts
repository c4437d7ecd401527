import { parseArgs } from 'node:util';
import { type Engine, newDatabase, startServer } from '../test/support/server.ts';
import { describeEnvironment } from './report/environment.ts';

const usage = `npm run bench mcp -- [--engine sqlite|postgres] [--memories N] [--rounds N] [--check]
  p50 of a search through MCP (with and without a session) and of the same search through HTTP, in turn.
  --check: exit 1 when MCP takes more than 2 times HTTP`;
const ratioMax = 2;
const warmUp = 50;
const places = ['office', 'harbour', 'kitchen', 'station', 'garden', 'library', 'market', 'bridge'];
const things = ['release', 'importer', 'login', 'backup', 'search', 'invoice', 'camera', 'ticket'];

const textOf = (n: number) =>
  `On day ${n} we talked in the ${places[n % 8]} about the ${things[(n >> 3) % 8]}, and decided to try plan ${n % 97}.`;
const queryOf = (n: number) => `what did we decide about the ${things[n % 8]} in the ${places[(n >> 3) % 8]}`;

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    memories: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '300' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
async function main(): Promise<void> {
  const database = await newDatabase(values.engine as Engine);
  const server = await startServer({ databaseUrl: database.url });
  try {
    const send = sender(server.url, server.key);
    for (let n = 0; n < Number(values.memories); n++)
      await send('/api/memories', { content: textOf(n), conversationId: 'NEW' });
    const session = (await send('/mcp', initialize)).headers.get('mcp-session-id') ?? '';
    const ways = {
      http: (query: string) => send('/api/memories/search', { query, limit: 10 }),
      mcp: (query: string) => send('/mcp', callOf(query)),
      'mcp, session': (query: string) => send('/mcp', callOf(query), { 'mcp-session-id': session }),
    };
    const times = await measure(ways, Number(values.rounds));
    report(times);
  } finally {
    await server.stop();
    await database.drop();
  }
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};
const callOf = (query: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search', arguments: { query, limit: 10 } },
});

function sender(url: string, key: string) {
  return async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    const text = await response.text();
    const failed = !response.ok || text.includes('"isError":true') || text.includes('"error":{');
    if (failed) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
    return response;
  };
}

type Ways = Readonly<Record<string, (query: string) => Promise<unknown>>>;

/** Runs each query once in each way, by turns, so that other load of the machine affects all ways equally. */
async function measure(ways: Ways, rounds: number): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]));
  for (let n = 0; n < warmUp + rounds; n++) {
    for (const [name, way] of Object.entries(ways)) {
      const began = performance.now();
      await way(queryOf(n));
      if (n >= warmUp) times.get(name)?.push(performance.now() - began);
    }
  }
  return times;
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)];

function report(times: ReadonlyMap<string, number[]>): void {
  console.log(JSON.stringify(describeEnvironment()));
  let base = 0;
  for (const [name, all] of times) {
    const sorted = all.toSorted((a, b) => a - b);
    const p50 = quantile(sorted, 0.5);
    base ||= p50;
    const ratio = p50 / base;
    console.log(
      `${name.padEnd(14)} p50 ${p50.toFixed(2)} ms  p95 ${quantile(sorted, 0.95).toFixed(2)} ms  ratio ${ratio.toFixed(2)}`,
    );
    if (values.check && ratio > ratioMax) process.exitCode = 1;
  }
}

if (values.help) console.log(usage);
else await main();
