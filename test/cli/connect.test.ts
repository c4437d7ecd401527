import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { rules } from '../../src/cli/connect/clients.ts';
import { readPage } from '../support/pages.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const key = 'cmk_live_connect00000.0123456789abcdef0123456789abcdef';
const clients = [
  'claude-code',
  'codex',
  'cursor',
  'opencode',
  'vscode',
  'openclaw',
  'hermes',
  'claude-desktop',
];
const jsonFiles = [
  ['.claude.json', 'mcpServers'],
  ['.cursor/mcp.json', 'mcpServers'],
  ['.config/opencode/opencode.json', 'mcp'],
  ['.config/Code/User/mcp.json', 'servers'],
  ['.config/Claude/claude_desktop_config.json', 'mcpServers'],
] as const;
const hooksFile = '.claude/settings.json';
const ofSessions = ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd'];
const hookEvents: Readonly<Record<string, readonly string[]>> = {
  [hooksFile]: ofSessions,
  '.codex/hooks.json': ofSessions,
  '.cursor/hooks.json': ['sessionStart', 'beforeSubmitPrompt'],
  '.copilot/hooks/memoryd.json': ['SessionStart'],
};
const textFiles = [
  '.codex/config.toml',
  '.codex/AGENTS.md',
  '.claude/CLAUDE.md',
  '.config/opencode/AGENTS.md',
  '.config/opencode/plugins/memoryd.js',
  '.hermes/plugins/memoryd/__init__.py',
  '.openclaw/extensions/memoryd/index.js',
];

function newHome(files: Readonly<Record<string, string>> = {}) {
  const folder = newTempFolder('home');
  const at = (path: string) => join(folder.path, path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const run = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [mainPath, ...args], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, MEMORYD_DATA_DIR: join(folder.path, 'none') },
      encoding: 'utf8',
    });
    return { stdout, stderr, status };
  };
  const connect = (...args: string[]) =>
    run('connect', '--key', key, '--url', 'http://localhost:3000', ...args);
  /** Every folder, link and byte below the home, with its mode. */
  const snapshot = () =>
    readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => {
        const stat = lstatSync(at(path));
        const content = stat.isSymbolicLink()
          ? readlinkSync(at(path))
          : stat.isFile()
            ? readFileSync(at(path), 'base64')
            : '';
        return `${path} ${stat.mode.toString(8)} ${content}`;
      });
  return { at, write, run, connect, snapshot, remove: () => folder.remove() };
}

type Home = ReturnType<typeof newHome>;

const json = (path: string, text: string) => ({ [path]: text });
const everywhere = (text: string) =>
  Object.assign(
    {},
    ...Object.keys(hookEvents).map((path) => json(path, text)),
    ...jsonFiles.map(([path]) => json(path, text)),
  ) as Record<string, string>;

/** Ten homes as people have them, with what is there before. */
const homes: Readonly<Record<string, () => Home>> = {
  'without a file': () => newHome(),
  'with files that are empty': () =>
    newHome({ ...everywhere(''), ...Object.fromEntries(textFiles.map((path) => [path, ''])) }),
  'with other servers': () =>
    newHome(
      Object.assign(
        json(
          hooksFile,
          JSON.stringify({
            hooks: { Stop: [], PreCompact: [{ hooks: [{ type: 'command', command: 'say' }] }] },
          }),
        ),
        ...jsonFiles.map(([path, member]) =>
          json(path, JSON.stringify({ theme: 'dark', [member]: { other: { command: 'x' } } }, null, 4)),
        ),
      ),
    ),
  'with comments and trailing commas': () =>
    newHome(everywhere('// mine\n{\n  /* servers */\n  "a": [1, 2,], // list\n  "b": {"c": null,},\n}\n')),
  'with CRLF': () =>
    newHome({
      ...everywhere('{\r\n  "a": 1\r\n}\r\n'),
      '.codex/config.toml': 'model = "o"\r\n\r\n[profiles.x]\r\nmodel = "p"\r\n',
      '.claude/CLAUDE.md': '# Mine\r\n',
    }),
  'with tabs, a byte order mark and no line end': () =>
    newHome({
      ...everywhere('\ufeff{\n\t"a": 1\n}'),
      '.codex/config.toml': '# mine\n[mcp_servers.other]\ncommand = "x"',
      '.codex/AGENTS.md': '# Rules',
    }),
  'with links to dotfiles': () => {
    const home = newHome({
      'dotfiles/cursor.json': '{"mcpServers": {}}',
      'dotfiles/CLAUDE.md': 'Be brief.\n',
    });
    mkdirSync(home.at('.cursor'));
    mkdirSync(home.at('.claude'));
    symlinkSync('../dotfiles/cursor.json', home.at('.cursor/mcp.json'));
    symlinkSync(home.at('dotfiles/CLAUDE.md'), home.at('.claude/CLAUDE.md'));
    return home;
  },
  'on one line': () => newHome(everywhere('{"a":{"b":1},"c":[]}')),
  'with an entry of their own': () =>
    newHome(
      Object.assign(
        {},
        ...jsonFiles.map(([path, member]) =>
          json(path, `{"${member}": {"memoryd": {"url": "http://old:1/mcp"}, "z": {}}}\n`),
        ),
      ),
    ),
  'with other modes': () => {
    const home = newHome({ ...everywhere('{}'), '.claude/CLAUDE.md': 'x\n' });
    chmodSync(home.at('.claude.json'), 0o600);
    chmodSync(home.at('.cursor/mcp.json'), 0o644);
    chmodSync(home.at('.claude/CLAUDE.md'), 0o640);
    return home;
  },
};

describe('memoryd connect', () => {
  it.each(Object.keys(homes))(
    'memoryd connect and disconnect of all clients leave a home %s as it was, to the byte',
    (name) => {
      const home = homes[name]();
      const before = home.snapshot();
      const shown = home.connect(...clients);
      expect(shown.status, shown.stderr).toBe(0);
      expect(shown.stdout).toContain('+ ');
      expect(shown.stdout).not.toContain(key);
      expect(shown.stderr).toContain('--yes');
      expect(home.snapshot()).toEqual(before);

      expect(home.connect(...clients, '--yes').status).toBe(0);
      for (const [path, member] of jsonFiles) {
        const text = readFileSync(home.at(path), 'utf8').replace(/^\ufeff/, '');
        const errors: never[] = [];
        const parsed = parse(text, errors, { allowTrailingComma: true });
        expect(errors, path).toEqual([]);
        const entry = parsed[member].memoryd;
        if (path.includes('desktop')) expect(entry.env).toMatchObject({ MEMORYD_KEY: key });
        else
          expect(entry).toMatchObject({
            url: 'http://localhost:3000/mcp',
            headers: { Authorization: `Bearer ${key}` },
          });
        if (text.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n');
      }
      for (const [path, events] of Object.entries(hookEvents)) {
        const { hooks } = parse(readFileSync(home.at(path), 'utf8').replace(/^\ufeff/, ''));
        for (const event of events) {
          const ours = hooks[event].filter((entry: unknown) => JSON.stringify(entry).includes('# memoryd'));
          expect(ours, `${path} ${event}`).toHaveLength(1);
        }
      }
      expect(readFileSync(home.at('.codex/config.toml'), 'utf8')).toMatch(
        /^\[mcp_servers\.memoryd\]\r?\nurl = "http:\/\/localhost:3000\/mcp"\r?\nhttp_headers = /m,
      );
      expect(readFileSync(home.at('.claude/CLAUDE.md'), 'utf8')).toContain('Never store passwords');
      if (name === 'with links to dotfiles')
        expect(lstatSync(home.at('.cursor/mcp.json')).isSymbolicLink()).toBe(true);

      const connected = home.snapshot();
      const again = home.connect('all', '--yes');
      expect([again.status, again.stderr]).toEqual([0, expect.stringContaining('nothing to change')]);
      expect(home.snapshot()).toEqual(connected);
      // Another address takes the place of the first; what was there before both comes back.
      expect(home.run('connect', 'all', '--yes', '--key', key, '--url', 'http://other:1').status).toBe(0);
      expect(readFileSync(home.at('.claude.json'), 'utf8')).toContain('http://other:1/mcp');

      expect(home.run('disconnect', 'all').status).toBe(0);
      expect(home.run('disconnect', 'all', '--yes').status).toBe(0);
      expect(home.snapshot()).toEqual(before);
      home.remove();
    },
  );

  it('memoryd connect leaves what it cannot edit, says why, and goes on with the rest', () => {
    const home = newHome({
      '.claude.json': '{"mcpServers": {',
      '.cursor/mcp.json': '[]',
      '.codex/config.toml': '[mcp_servers.memoryd]\nurl = "x"\n',
      '.config/Code/User/mcp.json': '{}',
    });
    chmodSync(home.at('.config/Code/User/mcp.json'), 0o444);
    const before = home
      .snapshot()
      .filter((line) => /^\.(claude\.json|cursor|codex\/config|config\/Code)/.test(line));
    const { status, stderr } = home.connect(...clients, '--yes');
    expect(status).toBe(1);
    for (const sentence of [
      '.claude.json is not a JSON object',
      'mcp.json is not a JSON object',
      'edit it by hand',
      'is read-only',
    ])
      expect(stderr).toContain(sentence);
    expect(home.snapshot()).toEqual(expect.arrayContaining(before));
    expect(readFileSync(home.at('.config/opencode/opencode.json'), 'utf8')).toContain('memoryd');
    home.remove();
  });

  it('memoryd disconnect takes its hooks alone out of settings that changed since; hooks of an unknown form are named', () => {
    const own = { hooks: [{ type: 'command', command: 'say hello' }] };
    const home = newHome({ [hooksFile]: JSON.stringify({ hooks: { SessionEnd: [own] } }) });
    home.connect('claude-code', '--yes');
    const { hooks, ...rest } = JSON.parse(readFileSync(home.at(hooksFile), 'utf8'));
    expect(hooks.SessionEnd).toEqual([own, { hooks: [expect.objectContaining({ timeout: 60 })] }]);
    // The command as the host gives it to a shell, from any folder.
    const [{ command }] = hooks.SessionEnd[1].hooks;
    expect(spawnSync('sh', ['-c', command], { cwd: '/', input: 'no event', encoding: 'utf8' })).toMatchObject(
      {
        ...{ status: 0, stdout: '', stderr: expect.stringContaining('memoryd hook: ') },
      },
    );
    hooks.SessionEnd.push(own);
    home.write(hooksFile, JSON.stringify({ ...rest, hooks, model: 'x' }));
    expect(home.run('disconnect', 'claude-code', '--yes').status).toBe(0);
    expect(JSON.parse(readFileSync(home.at(hooksFile), 'utf8'))).toEqual({
      hooks: { SessionEnd: [own, own] },
      model: 'x',
    });
    home.write(hooksFile, '{"hooks": {"PreCompact": "say"}}');
    const { status, stderr } = home.connect('claude-code', '--yes');
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('settings.json has hooks of an unknown form'),
    ]);
    home.remove();
  });

  it('memoryd disconnect takes its own entry out of a file that changed since, and leaves what others wrote', () => {
    const home = newHome({ '.claude.json': '{\n  "a": 1\n}\n', '.claude/CLAUDE.md': '# Mine\n' });
    home.connect('claude-code', '--yes');
    const changed = readFileSync(home.at('.claude.json'), 'utf8').replace('"a": 1', '"a": 2');
    home.write('.claude.json', changed);
    home.write('.claude/CLAUDE.md', `${readFileSync(home.at('.claude/CLAUDE.md'), 'utf8')}- later\n`);
    expect(home.run('disconnect', 'claude-code', '--yes').status).toBe(0);
    const left = JSON.parse(readFileSync(home.at('.claude.json'), 'utf8'));
    expect(left).toEqual({ a: 2, mcpServers: {} });
    expect(readFileSync(home.at('.claude/CLAUDE.md'), 'utf8')).toBe('# Mine\n- later\n');
    home.remove();
  });

  it('memoryd connect writes the rules of the page, wants a key, and names a client that it does not know', () => {
    expect(readPage('docs/connect.md')).toContain(rules);
    const home = newHome();
    expect(home.run('connect', 'cursor').stderr).toContain('there is no key yet');
    expect(home.run('connect', 'emacs').stderr).toContain('claude-code');
    expect(home.connect('all').stderr).toContain('None of the clients');
    expect(() => execFileSync('ls', [home.at('.cursor')], { stdio: 'pipe' })).toThrow();
    home.remove();
  });
});
