import { describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { useServer } from '../support/use-server.ts';
import { runCli } from './run-cli.ts';

describe('the command imports', () => {
  const server = useServer('sqlite');
  const memoryd = (...args: string[]) =>
    runCli(args, { env: { MEMORYD_URL: server.url, MEMORYD_KEY: server.key } });

  it('the command imports lists, undoes and restores an import', async () => {
    expect((await memoryd('imports', 'list')).stderr).toContain('Nothing was imported yet.');
    const http = client(server.url, server.key);
    const { id } = (await http.post<{ data: { id: string } }>('/api/imports', { source: 'notes.jsonl' })).body
      .data;
    await http.post(`/api/memories/bulk?importId=${id}`, { memories: [{ content: 'a' }, { content: '' }] });
    expect((await memoryd('imports', 'list')).stdout).toMatch(
      /^ID +BEGUN +STORED +UPDATED +UNCHANGED +IN TRASH +REFUSED +UNDONE +SOURCE\n\S{8} +\S+ \S+ +1 +0 +0 +0 +1 .*notes\.jsonl\n$/,
    );
    expect((await memoryd('imports', 'undo', id.slice(0, 8))).stdout).toContain(
      'Moved to the trash: memories 1, conversations 1',
    );
    expect(JSON.parse((await memoryd('imports', 'list', '--json')).stdout).data).toMatchObject([
      { id, undoneAt: expect.any(String) },
    ]);
    expect((await memoryd('imports', 'restore', id)).stdout).toBe('Restored: memories 1\n');
    const unknown = await memoryd('imports', 'undo', 'ffffffff-0000');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('`npx memoryd imports list` lists them.'),
    ]);
  });
});
