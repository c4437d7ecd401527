/**
 * Source files and functions that one request enters in a warm process, counted by V8:
 * `npm run bench entered-files [-- list]`; `list` prints the files of each request.
 */
import { Session } from 'node:inspector/promises';
import { newAppFixture } from '../test/support/app-fixture.ts';
import type { Client } from '../test/support/http-client.ts';

const source = /\/src\/(.*)\.ts$/;
const warmUps = 30;
const roundsMax = 5;
const listsFiles = process.argv[2] === 'list';

const requests: Readonly<Record<string, (http: Client) => Promise<unknown>>> = {
  'GET /api/artifacts': (http) => http.get('/api/artifacts'),
  'POST /api/memories': (http) =>
    http.post('/api/memories', { content: 'The pump of the harbour was repaired.' }),
  'search, keyword': (http) => http.get('/api/memories/search?q=harbour+pump&searchMethod=keyword'),
  'search, hybrid': (http) => http.get('/api/memories/search?q=harbour+pump&searchMethod=hybrid'),
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** Functions entered since the last call, by source file. */
async function entered(): Promise<Map<string, number>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = source.exec(url)?.[1];
    const count = functions.filter(({ ranges }) => ranges[0].count > 0).length;
    if (file !== undefined && count > 0) files.set(file, count);
  }
  return files;
}

const app = await newAppFixture('sqlite', { MEMORYD_EMBEDDER: 'bundled' });
const http = await app.newClient();
for (let i = 0; i < 20; i++)
  await http.post('/api/memories', { content: `Note ${i} on the pump of the harbour.` });
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (const [name, send] of Object.entries(requests)) {
  for (let i = 0; i < warmUps; i++) await send(http);
  await entered();
  const rounds: Map<string, number>[] = [];
  for (let i = 0; i < roundsMax; i++) {
    await send(http);
    rounds.push(await entered());
  }
  // A timer that fires during a request is not in all of them.
  const files = [...rounds[0].keys()].filter((file) => rounds.every((round) => round.has(file))).sort();
  const functions = files.reduce(
    (sum, file) => sum + Math.min(...rounds.map((round) => round.get(file) ?? 0)),
    0,
  );
  const ofHttp = files.filter((file) => file.startsWith('http/')).length;
  console.log(`${name}: ${files.length} files (${ofHttp} of http), ${functions} functions`);
  if (listsFiles) for (const file of files) console.log(`  ${file}`);
}
session.disconnect();
await app.close();
process.exit();
