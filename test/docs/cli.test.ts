import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { commandTree } from '../../src/cli/completion.ts';
import { program } from '../../src/cli/program.ts';
import { run } from '../cli/run-cli.ts';
import { engines, newDatabase } from '../support/database.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const main = join(root, 'dist/main.js');

interface Example {
  readonly command: string;
  readonly output: string;
}

/** Every `$ command` of a text with what it prints. */
const examplesOf = (text: string): Example[] =>
  [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block
      .split(/^\$ /m)
      .filter((part) => part !== '')
      .map((part) => ({
        command: part.slice(0, part.indexOf('\n')),
        output: part.slice(part.indexOf('\n') + 1),
      })),
  );
/** The section whose examples want an empty database of PostgreSQL. */
const [split] = /## A database split by user\n[\s\S]*?\n## /.exec(page) ?? [''];
const examples = examplesOf(page.replace(split, ''));

/** Ids, keys, times and scores differ from run to run, and with them how wide columns are. */
function alike(text: string): string {
  return text
    .replaceAll(/cmk_live_[0-9a-f]+(\.[0-9a-f]+)?/g, 'KEY')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/^[0-9a-f]{8} /gm, 'ID ')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .replaceAll(/ \d\.\d\d /g, ' SCORE ')
    .replaceAll(/ +/g, ' ');
}

describe('the examples of docs/cli.md', () => {
  const folder = newTempFolder('docs-cli');
  // The page shows topics that its commands wrote, and none that are derived later.
  const server = useServer('sqlite', { MEMORYD_DERIVE: 'false' });
  afterAll(() => folder.remove());

  it('the examples of docs/cli.md print what the page says', async () => {
    expect(examples.length).toBeGreaterThan(15);
    const env = {
      MEMORYD_URL: server.url,
      MEMORYD_KEY: server.key,
      MEMORYD_DATABASE_URL: server.databaseUrl,
      MEMORYD: `${process.execPath} ${main}`,
    };
    let restorable = '';
    for (const { command, output } of examples) {
      // The id of the page is of another memory.
      const line = command
        .replace(/restore \S+/, `restore ${restorable}`)
        .replaceAll('npx memoryd', '$MEMORYD');
      const { code, stdout, stderr } = await run('sh', ['-c', line], { env, cwd: folder.path });
      expect([command, code, stderr, alike(stdout)]).toEqual([command, 0, '', alike(output)]);
      restorable = /memoryd restore (\S+)/.exec(stdout)?.[1] ?? restorable;
    }
  });
});

describe.runIf(engines.includes('postgres'))('the examples of docs/cli.md on PostgreSQL', () => {
  it('the examples of docs/cli.md on PostgreSQL print what the page says', async () => {
    const [database, folder] = [await newDatabase('postgres'), newTempFolder('docs-cli')];
    const env = { MEMORYD_DATABASE_URL: database.url, MEMORYD: `${process.execPath} ${main}` };
    expect(examplesOf(split).length).toBeGreaterThan(1);
    for (const { command, output } of examplesOf(split)) {
      const line = command.replaceAll('npx memoryd', '$MEMORYD');
      const { code, stdout, stderr } = await run('sh', ['-c', line], { env, cwd: folder.path });
      expect([command, code, stderr, alike(stdout)]).toEqual([command, 0, '', alike(output)]);
    }
    folder.remove();
    await database.drop();
  });
});

describe('docs/cli.md', () => {
  it('docs/cli.md names every command, and every option of the commands for memories', async () => {
    const tree = commandTree(await program());
    const [top] = tree;
    for (const { name } of top?.commands ?? [])
      expect(page).toMatch(new RegExp(`[\`|]${name}\\b|memoryd ${name}\\b`));
    const verbs = tree.filter(({ path }) =>
      /^\/(add|search|recent|show|edit|forget|trash|topics|conversations)$/.test(path),
    );
    const options = new Set(verbs.flatMap(({ options }) => options.flatMap(({ names }) => names)));
    for (const name of options) if (name.startsWith('--') && name !== '--help') expect(page).toContain(name);
  });
});

describe('the documents', () => {
  it('the documents spell every command `npx memoryd …`', async () => {
    const names = (await program()).commands.map((command) => command.name()).join('|');
    const other = new RegExp(`npm run memoryd|(?<!npx )\\bmemoryd (${names})\\b(?! ?=)`);
    const files = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)];
    const wrong = files
      // Servers have a `memoryd` of their own: docs/deploy.md says which.
      .filter((file) => file.endsWith('.md') && file !== 'docs/deploy.md')
      .flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((line, i) => (other.test(line) ? [`${file}:${i + 1}: ${line}`] : [])),
      );
    expect(wrong).toEqual([]);
  });
});
