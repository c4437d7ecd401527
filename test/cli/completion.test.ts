import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTempFolder } from '../support/temp-folder.ts';
import { run, runCli } from './run-cli.ts';

/** How each shell reads a script without running it; those that this machine has. */
const checks = { bash: 'bash', zsh: 'zsh', fish: 'fish' } as const;
const shells = Object.values(checks).filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);

describe('memoryd completion', () => {
  const folder = newTempFolder('completion');
  const bashScript = join(folder.path, 'memoryd.bash');
  beforeAll(async () => writeFileSync(bashScript, (await runCli(['completion', 'bash'])).stdout));
  afterAll(() => folder.remove());

  /** What bash offers after these words; the last one is not finished. */
  async function completed(...words: string[]): Promise<string[]> {
    const line = ['memoryd', ...words];
    const quoted = line.map((word) => `'${word}'`).join(' ');
    const script = `source ${bashScript}; COMP_WORDS=(${quoted}); COMP_CWORD=${line.length - 1}; _memoryd; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { code, stdout, stderr } = await run('bash', ['--norc', '-c', script], { cwd: folder.path });
    expect([code, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('shell completion completes commands, their commands, options and values in bash', async () => {
    expect(await completed('se')).toEqual(['search', 'serve']);
    expect(await completed('keys', '')).toEqual(
      expect.arrayContaining(['create', 'list', 'revoke', '--help']),
    );
    expect(await completed('keys', 'create', '--l')).toEqual(['--label']);
    expect(await completed('search', 'some words', '--method', '')).toEqual([
      'hybrid',
      'semantic',
      'keyword',
    ]);
    expect(await completed('ent')).toEqual(['entities']);
    expect(await completed('entities', '--type', '')).toEqual(expect.arrayContaining(['PERSON', 'FILE']));
    expect(await completed('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(await completed('recent', '--limit', '')).toEqual([]);
    // A value is no command.
    expect(await completed('search', 'keys', 'create', '--la')).toEqual([]);
  });

  it('shell completion completes files where a command reads one', async () => {
    writeFileSync(join(folder.path, 'notes.jsonl'), '');
    expect(await completed('import', 'no')).toEqual(['notes.jsonl']);
    expect(await completed('recent', 'no')).toEqual([]);
  });

  it('shell completion is registered with bash for memoryd', async () => {
    const { stdout } = await run('bash', ['--norc', '-c', `source ${bashScript}; complete -p memoryd`]);
    expect(stdout).toBe('complete -F _memoryd memoryd\n');
  });

  it.each(shells)('shell completion prints a script that %s reads', async (shell) => {
    const path = join(folder.path, `script.${shell}`);
    writeFileSync(path, (await runCli(['completion', shell])).stdout);
    expect(await run(shell, ['-n', path])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('shell completion has every command and option in the script of each shell', async () => {
    const options = (await runCli(['add', '--help'])).stdout.match(/--[a-z-]+/g) ?? [];
    for (const shell of Object.keys(checks)) {
      const { stdout } = await runCli(['completion', shell]);
      for (const option of options) expect(stdout).toContain(option.slice(2));
      for (const word of ['conversations', 'embeddings', 'rebuild', 'semantic'])
        expect(stdout).toContain(word);
    }
    expect(await runCli(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });
});
