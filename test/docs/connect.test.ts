import { describe, expect, it } from 'vitest';
import { clients, type Setup } from '../../src/cli/init.ts';
import { blocksOf, pagePaths, readPage } from '../support/pages.ts';

const connect = readPage('docs/connect.md');

/** What `memoryd init` would print for the addresses and places that the pages write. */
const setup: Setup = {
  url: 'http://localhost:3000',
  key: { inShell: '$(cat data/first-key)', inFile: '<API_KEY>', source: undefined },
  stdio: {
    command: 'node',
    args: ['/path/to/memoryd/dist/main.js', 'mcp'],
    env: { MEMORYD_URL: 'http://localhost:3000', MEMORYD_KEY: '<API_KEY>' },
  },
};
const textFor = (name: string) => clients.find((client) => client.name === name)?.text(setup) ?? '';
const jsonOf = (page: string): unknown[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text));

describe('what the pages say to paste into a client', () => {
  it('what the pages say to paste into a client is what memoryd init prints, which is tested with real clients', () => {
    for (const page of [readPage('README.md'), connect]) {
      expect(page).toContain(textFor('claude-code'));
      expect(jsonOf(page)).toContainEqual(JSON.parse(textFor('cursor')));
    }
    expect(jsonOf(connect)).toContainEqual(JSON.parse(textFor('claude-desktop')));
  });

  it('what the pages say to paste into VS Code is the same but for the key, which VS Code asks for', () => {
    const printed = JSON.parse(textFor('vscode'));
    printed.servers.memoryd.headers.Authorization = expect.stringMatching(/^Bearer \$\{input:[\w-]+\}$/);
    expect(jsonOf(connect)).toContainEqual({
      ...printed,
      inputs: [expect.objectContaining({ password: true })],
    });
  });

  it('what the pages say to paste into Codex names the same address and variable in both forms', () => {
    const [toml] = blocksOf(connect).filter(({ language }) => language === 'toml');
    const [, url] = /^url = "(.+)"$/m.exec(toml.text) ?? [];
    const [, variable] = /^bearer_token_env_var = "(.+)"$/m.exec(toml.text) ?? [];
    expect(url).toBe(`${setup.url}/mcp`);
    expect(connect).toContain(`--url ${url} --bearer-token-env-var ${variable}`);
    expect(connect).toContain(`export ${variable}=`);
  });
});

it.each(pagePaths().filter((path) => !path.startsWith('docs/adr/')))(
  'blocks of JSON in %s can be read',
  (path) => {
    expect(() => jsonOf(readPage(path))).not.toThrow();
  },
);
