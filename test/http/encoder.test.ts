import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { encoderFolder } from '../support/encoder-checks.ts';
import { type Client, client } from '../support/http-client.ts';
import { hasRuntime } from '../support/onnx-runtime.ts';
import { poll } from '../support/poll.ts';
import {
  engines,
  newDatabase,
  runMemoryd,
  type Server,
  startServer,
  type TestDatabase,
} from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

interface Found {
  readonly data: readonly { readonly content: string }[];
  readonly meta: {
    readonly searchMethod: string;
    readonly degraded?: boolean;
    readonly branchFailures?: object[];
  };
}
interface Status {
  readonly data: {
    readonly embedding: {
      readonly spaces: readonly {
        readonly model: string;
        readonly state: string;
        readonly waiting: number;
      }[];
      readonly encoder?: { readonly model: string; readonly state: string; readonly reason?: string };
    };
  };
}

const refund = 'The supplier will pay the money back for the broken parts';
const asked = 'reimbursement of defective components';
const withoutRuntime = fileURLToPath(new URL('../support/without-onnx-runtime.cjs', import.meta.url));

describe.each(engines)('an encoder in the process, on %s', (engine) => {
  const started: { database: TestDatabase; server?: Server }[] = [];

  const start = async (env: Record<string, string>, database?: TestDatabase) => {
    const own = database ?? (await newDatabase(engine));
    const entry: (typeof started)[number] = { database: own };
    started.push(entry);
    const server = await startServer({ databaseUrl: own.url, env: { MEMORYD_LOG_LEVEL: 'info', ...env } });
    entry.server = server;
    return { server, database: own, http: client(server.url, server.key) };
  };

  afterEach(async () => {
    const all = started.splice(0);
    for (const { server } of all) await server?.stop();
    for (const database of new Set(all.map((entry) => entry.database))) await database.drop();
  });

  const search = async (http: Client) => {
    const { status, body } = await http.post<Found>('/api/memories/search', {
      query: asked,
      searchMethod: 'semantic',
    });
    expect(status).toBe(200);
    return body;
  };
  const undegraded = (http: Client) =>
    poll('a search with every model', async () => {
      const found = await search(http);
      return found.meta.degraded ? undefined : found;
    });
  const embedding = async (http: Client) =>
    (await http.get<Status>('/api/system/context/status')).body.data.embedding;
  const write = async (http: Client) => {
    for (const content of [refund, 'The tortoise is called Ada', 'We moved the stand-up to half past nine'])
      expect((await http.post('/api/memories', { content, conversationId: 'NEW' })).status).toBe(201);
  };

  it.skipIf(!hasRuntime)(
    'an encoder finds what was written in other words, and ends with the service',
    async () => {
      const { server, http } = await start({ MEMORYD_EMBEDDER: 'onnx' });
      await write(http);
      const { data, meta } = await poll('the memory is found', async () => {
        const found = await search(http);
        return found.data.length > 0 ? found : undefined;
      });
      expect(data[0].content).toBe(refund);
      expect(meta.searchMethod).toBe('semantic');
      expect(meta).not.toHaveProperty('degraded');
      const { spaces, encoder } = await embedding(http);
      expect(encoder).toEqual({ model: 'minilm-l6-int8', state: 'ok' });
      expect(spaces).toMatchObject([{ model: 'minilm-l6-int8', state: 'serving', dimension: 384 }]);
      expect(await server.stop()).toBe(0);
    },
  );

  it.skipIf(!hasRuntime)(
    'a service with both models finds a memory at once, and better once the encoder has it',
    async () => {
      const { http } = await start({ MEMORYD_EMBEDDER: 'bundled' });
      await write(http);
      expect((await search(http)).data.map(({ content }) => content)).toContain(refund);
      await poll('the encoder has embedded all', async () => {
        const { spaces, encoder } = await embedding(http);
        const states = spaces.map(({ model, state, waiting }) => `${model} ${state} ${waiting}`);
        return (
          (encoder?.state === 'ok' && states.join() === 'static-en-256 serving 0,minilm-l6-int8 serving 0') ||
          undefined
        );
      });
      expect((await undegraded(http)).data[0].content).toBe(refund);
    },
  );

  it.skipIf(!hasRuntime)(
    'an encoder is loaded with the start where there are memories, and not where there are none',
    async () => {
      const first = await start({ MEMORYD_EMBEDDER: 'bundled' });
      expect((await embedding(first.http)).encoder?.state).toBe('unknown');
      await write(first.http);
      await first.server.stop();
      const { http } = await start({ MEMORYD_EMBEDDER: 'bundled' }, first.database);
      await poll(
        'the encoder is loaded',
        async () => (await embedding(http)).encoder?.state === 'ok' || undefined,
      );
    },
  );

  it.each(['onnx', 'bundled'])(
    'a service whose encoder cannot be loaded says so, and the static model serves alone: %s',
    async (embedder) => {
      const environment = { MEMORYD_EMBEDDER: embedder, NODE_OPTIONS: `--require ${withoutRuntime}` };
      const { server, http, database } = await start(environment);
      await write(http);
      const { data, meta } = await search(http);
      expect(data.map(({ content }) => content)).toContain(refund);
      expect(meta).not.toHaveProperty('degraded');
      const { spaces, encoder } = await embedding(http);
      expect(encoder).toEqual({
        model: 'minilm-l6-int8',
        state: 'missing',
        reason: 'onnxruntime-node is not installed',
      });
      expect(spaces).toMatchObject([{ model: 'static-en-256', state: 'serving' }]);
      await expect
        .poll(() => server.output())
        .toContain('the encoder cannot run here; the static model serves alone');
      const health = await client(server.url).get('/health');
      expect(health).toMatchObject({
        status: 200,
        body: {
          status: 'degraded',
          checks: { embedder: { status: 'down', detail: 'onnxruntime-node is not installed' } },
        },
      });
      const note = 'The encoder cannot be used (onnxruntime-node is not installed)';
      await expect.poll(() => server.output()).toContain(note);
      const check = await runMemoryd(database.url, ['check'], environment);
      expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining(note) });
      const json = await runMemoryd(database.url, ['check', '--json'], environment);
      expect(JSON.parse(json.stdout).data.encoder).toEqual({
        state: 'missing',
        reason: 'onnxruntime-node is not installed',
      });
    },
  );

  it.skipIf(!hasRuntime)('a service whose encoder fails answers by words and says so', async () => {
    const folder = newTempFolder('encoder');
    cpSync(encoderFolder, folder.path, { recursive: true });
    writeFileSync(join(folder.path, 'model.onnx'), 'no model');
    const { server, http } = await start({ MEMORYD_EMBEDDER: 'onnx', MEMORYD_EMBEDDER_FOLDER: folder.path });
    await write(http);
    const { meta } = await search(http);
    expect(meta).toMatchObject({
      searchMethod: 'keyword',
      degraded: true,
      branchFailures: [{ name: 'semantic', status: 'error', reason: 'provider_error' }],
    });
    expect((await embedding(http)).encoder).toMatchObject({
      state: 'failing',
      reason: 'the model cannot be run',
    });
    expect((await client(server.url).get('/health')).body).toMatchObject({ status: 'degraded' });
    await expect.poll(() => server.output()).toContain('the encoder gives no vectors');
    folder.remove();
  });

  it.skipIf(!hasRuntime)(
    'a change from an encoder to the static model has searches answered throughout',
    async () => {
      const first = await start({ MEMORYD_EMBEDDER: 'onnx' });
      await write(first.http);
      await poll('the memory is found', async () => (await search(first.http)).data.length > 0 || undefined);
      await first.server.stop();
      const { http } = await start({ MEMORYD_EMBEDDER: 'static' }, first.database);
      // On a busy machine the first query may be late, for its model is loaded with it: then the answer is labelled.
      expect((await undegraded(http)).data[0].content).toBe(refund);
      await poll('the static model serves alone', async () => {
        const { spaces } = await embedding(http);
        return (
          spaces.map(({ model, state }) => `${model} ${state}`).join() === 'static-en-256 serving' ||
          undefined
        );
      });
      expect((await search(http)).meta).not.toHaveProperty('degraded');
    },
  );
});
