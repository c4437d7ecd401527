import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { readPage, repository } from '../support/pages.ts';
import { engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';

const [intro, ...sections] = readPage('docs/five-calls.md').split(/^## /m);
const shellOf = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('');

describe.each(engines)('the page of five calls on %s', (engine) => {
  const server = useServer(engine);
  let folder: { path: string; remove(): void };
  beforeAll(async () => {
    folder = newTempFolder('five-calls');
    mkdirSync(join(folder.path, 'data'));
    writeFileSync(join(folder.path, 'data/first-key'), `${server.key}\n`);
    symlinkSync(join(repository, 'node_modules'), join(folder.path, 'node_modules'));
  });
  afterAll(() => folder.remove());

  it.each(sections.map((text) => [text.split('\n')[0], text]))(
    'in %s, pasted into a shell, creates, finds, reads, changes, deletes and restores a memory',
    async (_language, text) => {
      const script = shellOf(intro + text).replace('http://localhost:3000', server.url);
      expect(script).toContain(server.url);
      const ran = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder.path });
      const { stdout } = await ran;
      expect(stdout).toContain('We moved sessions from Redis to PostgreSQL');

      const http = client(server.url, server.key);
      const { body } = await http.get<{ data: { content: string }[] }>('/api/memories?limit=1');
      expect(body.data).toMatchObject([{ content: 'We moved sessions from Redis to PostgreSQL in May' }]);
      const trash = await http.get<{ data: unknown[] }>('/api/trash');
      expect(trash.body.data).toEqual([]);
      await http.post('/api/memories', { content: 'What the next language must not take for its own' });
    },
    60_000,
  );
});
