import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newTempFolder } from '../support/temp-folder.ts';

let folder: ReturnType<typeof newTempFolder>;
const inFolder = (...parts: string[]) => join(folder.path, ...parts);
const main = () => inFolder('dist/main.js');

function build(...options: string[]): { status: number | null; stderr: string } {
  const args = [inFolder('scripts/build.mjs'), ...options];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

/** What a build that happened would write over. */
const mark = () => writeFileSync(main(), '// marked');
const isMarked = () => readFileSync(main(), 'utf8') === '// marked';

beforeEach(() => {
  folder = newTempFolder('build');
  mkdirSync(inFolder('src'));
  mkdirSync(inFolder('ui/src'), { recursive: true });
  for (const path of [
    'scripts/build.mjs',
    'scripts/bundle/notices.ts',
    'tsconfig.json',
    'tsconfig.build.json',
    'tsconfig.types.json',
    'package-lock.json',
    'package.json',
    'ui/index.html',
    'ui/vite.config.ts',
  ])
    cpSync(path, inFolder(path));
  symlinkSync(join(process.cwd(), 'node_modules'), inFolder('node_modules'));
  writeFileSync(inFolder('ui/src/main.tsx'), 'export const number = 1;\n');
  writeFileSync(inFolder('src/main.ts'), 'export const number: number = 1;\n');
  writeFileSync(inFolder('src/other.ts'), 'export const other = 1;\n');
  writeFileSync(inFolder('src/index.ts'), 'export type Id = string;\n');
});
afterEach(() => folder.remove());

describe('a build before the start', () => {
  it('a build before the start is made the first time, when a source or the packages changed, and not again otherwise', () => {
    expect(build('--if-stale').status).toBe(0);
    expect(readFileSync(main(), 'utf8')).toContain('number = 1');
    mark();
    expect(build('--if-stale').status).toBe(0);
    expect(isMarked()).toBe(true);
    writeFileSync(inFolder('src/main.ts'), 'export const number: number = 2;\n');
    expect(build('--if-stale').status).toBe(0);
    expect(readFileSync(main(), 'utf8')).toContain('number = 2');
    writeFileSync(inFolder('package-lock.json'), '{}');
    const stamp = readFileSync(inFolder('dist/.stamp'), 'utf8');
    expect(build('--if-stale').status).toBe(0);
    expect(readFileSync(inFolder('dist/.stamp'), 'utf8')).not.toBe(stamp);
  });

  it('a build that was never made is asked for by the command `memoryd`, which runs it once it is there', () => {
    cpSync('bin', inFolder('bin'), { recursive: true });
    const run = () => spawnSync(process.execPath, [inFolder('bin/memoryd.js')], { encoding: 'utf8' });
    expect(run()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('Run `npm start`'),
    });
    writeFileSync(inFolder('src/main.ts'), "process.stdout.write('it runs');\n");
    build();
    expect(run()).toMatchObject({ status: 0, stdout: 'it runs', stderr: '' });
  });

  it('a build before the start removes what a source that is gone was compiled to', () => {
    build();
    expect(existsSync(inFolder('dist/other.js'))).toBe(true);
    rmSync(inFolder('src/other.ts'));
    expect(build('--if-stale').status).toBe(0);
    expect(existsSync(inFolder('dist/other.js'))).toBe(false);
    expect(existsSync(main())).toBe(true);
  });

  it('a build that fails is tried again by the next start', () => {
    writeFileSync(inFolder('src/main.ts'), "export const number: number = 'one';\n");
    expect(build('--if-stale').status).not.toBe(0);
    expect(build('--if-stale').status).not.toBe(0);
    writeFileSync(inFolder('src/main.ts'), 'export const number: number = 1;\n');
    expect(build('--if-stale').status).toBe(0);
  });

  it('a build before the start says what to do where the compiler is not installed', () => {
    rmSync(inFolder('node_modules'));
    const { status, stderr } = build('--if-stale');
    expect(status).toBe(1);
    expect(stderr).toContain('npm ci');
  });
});
