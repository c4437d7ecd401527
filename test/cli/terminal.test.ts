import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { runCli, runOnTerminal, serviceEnv } from './run-cli.ts';

const escapeMark = '\u001b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of an escape sequence
const colours = /\u001b\[\d+m/g;

describe('commands on a terminal', () => {
  const folder = newTempFolder('terminal');
  const server = useServer('sqlite');
  beforeAll(async () => {
    const hostile = `${escapeMark}[2J${escapeMark}]0;title\u0007 red \u009b31m and \u202e turned`;
    for (const content of ['日本語のメモは二倍の幅になります。'.repeat(12), hostile, 'x'.repeat(300)])
      await client(server.url, server.key).post('/api/memories', { content });
  });
  afterAll(() => folder.remove());

  it('commands on a terminal have colours, and lines as long as it is wide', async () => {
    const { stdout } = await runOnTerminal(['recent'], 60, { env: serviceEnv(server) });
    expect(stdout).toMatch(colours);
    const lines = stdout.replaceAll(colours, '').trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines.every((line) => line.length <= 60)).toBe(true);
    expect(lines[1]).toMatch(/x…/);
    // Twelve columns are left of sixty for characters of two columns each.
    expect(lines[3]?.match(/[\u3041-\u9fff]/g)?.length).toBeLessThanOrEqual(17);
  });

  it('commands on a terminal have no colours with NO_COLOR, nor in a pipe, where nothing is cut', async () => {
    const env = { ...serviceEnv(server), NO_COLOR: '1' };
    expect((await runOnTerminal(['recent'], 60, { env })).stdout).not.toContain(escapeMark);
    const { stdout } = await runCli(['recent'], { env: serviceEnv(server) });
    expect(stdout).not.toContain(escapeMark);
    expect(stdout).toContain('x'.repeat(300));
  });

  it('commands on a terminal show no control character of a memory', async () => {
    const { data } = JSON.parse((await runCli(['recent', '--json'], { env: serviceEnv(server) })).stdout);
    const [, { id }] = data;
    for (const words of [['recent'], ['show', id], ['search', 'red', 'turned']]) {
      const { stdout } = await runCli(words, { env: serviceEnv(server) });
      expect(stdout).toContain('turned');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
      expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    }
  });

  it('commands on a terminal open a memory in the editor, and keep a text that cannot be stored', async () => {
    const http = client(server.url, server.key);
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content: 'by hand' });
    const path = `/api/memories/${body.data.id}`;
    const script = join(folder.path, 'editor.sh');
    const edit = (commands: string) => {
      writeFileSync(script, commands);
      return runOnTerminal(['edit', body.data.id], 80, {
        env: { ...serviceEnv(server), EDITOR: `sh ${script}`, TMPDIR: folder.path },
      });
    };
    expect((await edit('sed -i s/hand/machine/ "$1"')).stdout).toContain(`Changed ${body.data.id}`);
    expect((await http.get<{ data: object }>(path)).body.data).toMatchObject({ content: 'by machine' });
    expect((await edit('true')).stdout).toContain('Nothing was changed.');
    expect((await edit('exit 3')).stdout).toContain('ended with 3: nothing was changed.\r\n');
    expect(readdirSync(folder.path)).toEqual(['editor.sh']);

    const change = `curl -s -X PUT ${server.url}${path} -H 'Authorization: Bearer ${server.key}' -H 'Content-Type: application/json' -d '{"content":"by another"}'`;
    const { code, stdout } = await edit(`${change}; echo 'by me' > "$1"`);
    expect(code).toBe(1);
    const kept = /What you wrote is in (\S+)/.exec(stdout)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('by me\n');
    expect(existsSync(kept)).toBe(true);
    expect((await http.get<{ data: object }>(path)).body.data).toMatchObject({ content: 'by another' });
  });
});
