import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newTempFolder } from '../support/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('the install script of onnxruntime-node ends before it downloads anything', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  expect(lock.packages['node_modules/global-agent'].resolved).toBe('file:scripts/no-downloads');
  const folder = newTempFolder('install-script');
  const script = join(folder.path, 'node_modules', 'onnxruntime-node', 'script');
  mkdirSync(script, { recursive: true });
  cpSync(join(root, 'node_modules', 'onnxruntime-node', 'script'), script, { recursive: true });
  for (const [name, from] of [
    ['global-agent', join(root, 'scripts', 'no-downloads')],
    ['adm-zip', join(root, 'node_modules', 'adm-zip')],
  ])
    cpSync(from, join(folder.path, 'node_modules', name), { recursive: true });
  // Where it did go on, a proxy that is not there would end it.
  const env = { PATH: process.env.PATH, https_proxy: 'http://127.0.0.1:1' };
  const done = spawnSync(process.execPath, ['install.js'], { cwd: script, env, encoding: 'utf8' });
  expect(done).toMatchObject({ status: 0, stdout: '', stderr: '' });
  folder.remove();
});
