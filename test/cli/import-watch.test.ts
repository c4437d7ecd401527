import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { createUserKey, engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { listAll, startImport } from './import-process.ts';

const deadlineMs = 50_000;

describe.each(engines)('memoryd import --watch on %s', (engine) => {
  const folder = newTempFolder('watch');
  const server = useServer(engine);
  afterAll(() => folder.remove());

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'a watch stores lines that are appended, texts that change and files that are new, once, until %s ends it',
    async (signal) => {
      const http = client(server.url, await createUserKey(server.databaseUrl, `watcher-${signal}`));
      const path = join(folder.path, signal);
      mkdirSync(path);
      const line = (externalId: string, content: string) => `${JSON.stringify({ externalId, content })}\n`;
      const contents = async () => (await listAll(http)).map(({ content }) => content).sort();
      const arrived = (expected: readonly string[]) =>
        poll(
          expected.join(', '),
          async () => {
            const found = await contents();
            return found.join() === expected.join() ? found : undefined;
          },
          deadlineMs,
          200,
        );
      writeFileSync(join(path, 'grows.jsonl'), line('1', 'one'));
      writeFileSync(join(path, 'changes.jsonl'), line('2', 'two'));
      const { child, ended } = startImport(http, path, ['--watch']);
      let printed = '';
      child.stdout?.on('data', (data: Buffer) => (printed += data));
      const reported = (times: number) =>
        poll(
          `${times} reports`,
          async () => (`\n${printed}`.split('\nimported ').length > times || undefined) && printed,
          deadlineMs,
        );
      await arrived(['one', 'two']);
      appendFileSync(join(path, 'grows.jsonl'), line('3', 'three'));
      writeFileSync(join(path, 'changes.jsonl'), line('2', 'two, changed'));
      writeFileSync(join(path, 'new.jsonl'), line('4', 'four'));
      await arrived(['four', 'one', 'three', 'two, changed']);
      await reported(2);
      child.kill(signal);
      const { code, out, err } = await ended;
      expect({ code, err }).toEqual({ code: 0, err: [] });
      expect(out).toContain('imported 2, refused 0, skipped 0');
      expect(out.join()).toContain('changed 1');
      const { data } = (await http.get<{ data: object[] }>('/api/imports')).body;
      expect(data).toHaveLength(1);
    },
    2 * deadlineMs,
  );
});
