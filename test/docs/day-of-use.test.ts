import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli, serviceEnv } from '../cli/run-cli.ts';
import { awaitSteps } from '../support/await-steps.ts';
import { client } from '../support/http-client.ts';
import { engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';

const page = fileURLToPath(new URL('../../docs/day-of-use.md', import.meta.url));
const consoleBlock = /```console\n([\s\S]*?)```/g;
const fileBlock = /```jsonl (\S+)\n([\s\S]*?)```/g;

/** Words of a command line; those in double quotes are one. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);

/** What may differ from run to run: ids, times of today, how long it took, scores. */
const alike = (text: string) =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\b[0-9a-f]{8}\b/g, 'ID')
    .replace(/\b20(?!26-06)\d\d-\d\d-\d\d( \d\d:\d\d)?/g, 'TIME')
    .replace(/\b\d\.\d\d\b/g, 'SCORE')
    // Ids take more tokens or fewer: how much fits into a share of the budget differs.
    .replace(/(## (?:Facts|Recent activity)\n- .*\n)(?:- .*\n)+/g, '$1')
    .replace(/\d+ (ms|s|\/s)\b/g, 'SO LONG')
    .replace(/ +/g, ' ');

/** Prints of a command, as a terminal shows them: what is for people comes after the result. */
async function printOf(words: readonly string[], env: Record<string, string>, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(words, { env, cwd });
  expect(code, stderr).toBe(0);
  return stdout + stderr;
}

describe.each(engines)('docs/day-of-use.md on %s', (engine) => {
  const server = useServer(engine);

  // MEMORYD_WRITE_DOCS=1 writes what was printed into the page.
  it('the page of a day of use shows what its commands print', { timeout: 120_000 }, async () => {
    const text = readFileSync(page, 'utf8');
    const folder = newTempFolder('day');
    const env = serviceEnv(server);
    for (const [, name, lines] of text.matchAll(fileBlock)) writeFileSync(join(folder.path, name), lines);
    const printed: string[] = [];
    for (const [, block] of text.matchAll(consoleBlock)) {
      const commands = block.split('\n').filter((line) => line.startsWith('$ npx memoryd '));
      let shown = '';
      for (const command of commands) {
        shown += `${command}\n${await printOf(wordsOf(command.slice('$ npx memoryd '.length)), env, folder.path)}`;
        await awaitSteps(client(server.url, server.key), 50);
      }
      printed.push(shown);
    }
    folder.remove();
    if (process.env.MEMORYD_WRITE_DOCS === '1') {
      const left = [...printed];
      writeFileSync(
        page,
        text.replace(consoleBlock, () => `\`\`\`console\n${left.shift() ?? ''}\`\`\``),
      );
      return;
    }
    expect(printed.length).toBeGreaterThan(3);
    const blocks = [...text.matchAll(consoleBlock)].map(([, block]) => alike(block));
    expect(printed.map(alike)).toEqual(blocks);
  });
});
