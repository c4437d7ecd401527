import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rules } from '../../src/cli/connect/clients.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'deploy/claude-code');
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** code.claude.com/docs/en/plugins/manifest-reference: an option with another key keeps the plugin from loading. */
const optionKeys = [
  ...['type', 'title', 'description', 'required', 'default', 'multiple', 'sensitive', 'min', 'max'],
];

describe('the plugin for Claude Code', () => {
  const manifest = readJson('deploy/claude-code/.claude-plugin/plugin.json');
  const options = Object.keys(manifest.userConfig);

  it('the plugin for Claude Code has a manifest with the version of the package, and the marketplace leads to it', () => {
    expect(manifest.name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(manifest.version).toBe(readJson('package.json').version);
    for (const option of Object.values<Record<string, unknown>>(manifest.userConfig)) {
      expect(Object.keys(option).filter((key) => !optionKeys.includes(key))).toEqual([]);
      expect(option).toMatchObject({ type: 'string', title: expect.any(String) });
    }
    expect(manifest.userConfig.key.sensitive).toBe(true);
    const { plugins } = readJson('.claude-plugin/marketplace.json');
    expect(plugins.map(({ name }: { name: string }) => name)).toEqual(['memoryd']);
    expect(join(root, plugins[0].source)).toBe(folder);
  });

  it('the plugin for Claude Code names in its MCP entry and its hooks no option that it does not ask for', () => {
    const { mcpServers } = readJson('deploy/claude-code/.mcp.json');
    expect(mcpServers.memoryd).toMatchObject({ type: 'http', url: expect.stringMatching(/\/mcp$/) });
    const named = [...JSON.stringify(mcpServers).matchAll(/\$\{user_config\.(\w+)\}/g)];
    expect(named.map(([, name]) => name).sort()).toEqual([...options].sort());
    const text = readFileSync(join(folder, 'hooks/hooks.json'), 'utf8');
    // A shell would read what the person typed: it is in the environment.
    expect(text).not.toContain('user_config');
    const variables = new Set([...text.matchAll(/CLAUDE_PLUGIN_OPTION_(\w+)/g)].map(([, name]) => name));
    expect([...variables].sort()).toEqual(options.map((name) => name.toUpperCase()).sort());
    expect(text.match(/memoryd@[\d.]+/g)).toEqual(Array(4).fill(`memoryd@${manifest.version}`));
  });

  it('the plugin for Claude Code hands events to memoryd hook with the options of the person', () => {
    const { hooks } = readJson('deploy/claude-code/hooks/hooks.json');
    expect(Object.keys(hooks)).toEqual(['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd']);
    const shim = newTempFolder('npx');
    const npx = join(shim.path, 'npx');
    writeFileSync(npx, '#!/bin/sh\necho "$MEMORYD_URL $MEMORYD_KEY $*"\ncat\n');
    chmodSync(npx, 0o755);
    for (const [{ hooks: entries }] of Object.values<[{ hooks: { type: string; command: string }[] }]>(hooks))
      for (const { type, command } of entries) {
        expect(type).toBe('command');
        const env = {
          PATH: `${shim.path}:${process.env.PATH}`,
          CLAUDE_PLUGIN_OPTION_URL: 'http://memory:1',
          CLAUDE_PLUGIN_OPTION_KEY: 'cmk $x',
        };
        const { stdout } = spawnSync('sh', ['-c', command], { env, input: 'event', encoding: 'utf8' });
        expect(stdout).toBe(`http://memory:1 cmk $x -y memoryd@${manifest.version} hook\nevent`);
      }
    shim.remove();
  });

  it('the plugin for Claude Code has the rules of docs/connect.md as a skill', () => {
    const skill = readFileSync(join(folder, 'skills/memory/SKILL.md'), 'utf8');
    const [, head, body] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(skill) ?? [];
    expect(head).toMatch(/^name: memory\ndescription: .{40,1024}$/);
    expect(body.trim()).toBe(rules.split('\n').slice(1).join('\n'));
    expect(existsSync(join(folder, 'README.md'))).toBe(false);
  });
});
