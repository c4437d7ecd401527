// A program: uses a service and the command line in all ways that may load a library, in folders of their own below the
// first argument, and prints as JSON what they left and asked for. With the second argument `sealed` it expects to run
// in `sealedNetwork` and records what native code asks for too.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awaitSteps } from './await-steps.ts';
import { type Client, client } from './http-client.ts';
import { connectMcp } from './mcp-client.ts';
import { poll } from './poll.ts';
import { recordNetwork } from './sealed-network.ts';
import { runMemoryd, startServer } from './server.ts';

interface Status {
  readonly data: {
    readonly embedding: {
      readonly encoder?: { readonly state: string };
      readonly spaces: readonly { readonly waiting: number }[];
    };
  };
}

const [folder, way] = process.argv.slice(2);
/** Not told to write here: the store is elsewhere. */
const homes = ['home', 'config', 'cache', 'share', 'state', 'runtime', 'tmp', 'cwd'];
const [home, config, cache, share, state, runtime, tmp, cwd] = homes.map((name) => join(folder, name));
for (const name of [...homes, 'store']) mkdirSync(join(folder, name));
const record = join(folder, 'network');
writeFileSync(record, '');
const env = {
  HOME: home,
  XDG_CONFIG_HOME: config,
  XDG_CACHE_HOME: cache,
  XDG_DATA_HOME: share,
  XDG_STATE_HOME: state,
  XDG_RUNTIME_DIR: runtime,
  TMPDIR: tmp,
  // Would take what is tested out of the hands of the program.
  ORT_DISABLE_TELEMETRY: '0',
  MEMORYD_EMBEDDER: 'bundled',
  NETWORK_RECORD: record,
  NODE_OPTIONS: `--require ${fileURLToPath(new URL('network-guard.cjs', import.meta.url))}`,
};

async function encoded(http: Client): Promise<string> {
  return poll('all is embedded by the encoder', async () => {
    const { encoder, spaces } = (await http.get<Status>('/api/system/context/status')).body.data.embedding;
    if (encoder?.state === 'missing') return encoder.state;
    const isDone = encoder?.state === 'ok' && spaces.length === 2 && spaces.every((of) => of.waiting === 0);
    return isDone ? encoder.state : undefined;
  });
}

async function use(): Promise<string> {
  const databaseUrl = `sqlite:${join(folder, 'store', 'memoryd.db')}`;
  const server = await startServer({ databaseUrl, dataDir: cwd, env });
  const http = client(server.url, server.key);
  for (const content of ['Ana works at Globex in Berlin', 'Decision: the invoices are sent on Fridays'])
    await http.post('/api/memories', { content, conversationId: 'NEW' });
  const encoder = await encoded(http);
  await awaitSteps(http, 20);
  await http.post('/api/memories/search', { query: 'who is employed in Germany', searchMethod: 'hybrid' });
  await http.post('/api/memories/digest', { query: 'invoices' });
  const agent = await connectMcp({ url: server.url, key: server.key });
  await agent.call('recall', { query: 'invoices' });
  await agent.close();
  const asked = { ...env, MEMORYD_URL: server.url, MEMORYD_KEY: server.key };
  const done = [await runMemoryd(databaseUrl, ['search', 'invoices'], asked)];
  done.push({ code: (await server.stop()) ?? 1, stdout: '', stderr: server.output() });
  for (const command of [['embeddings', 'status'], ['check']])
    done.push(await runMemoryd(databaseUrl, command, env));
  for (const { code, stderr } of done) if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return encoder;
}

let encoder = '';
const run = async () => {
  encoder = await use();
};
const seen = way === 'sealed' ? await recordNetwork(run) : await run();
const files = homes.flatMap((name) =>
  readdirSync(join(folder, name), { recursive: true }).map((path) => join(name, String(path))),
);
const javascript = readFileSync(record, 'utf8').split('\n').filter(Boolean);
process.stdout.write(JSON.stringify({ encoder, files, javascript, ...seen }));
