import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newTempFolder, removeLeftovers } from './temp-files.ts';

it('folders of an import that was killed are removed by the next one, those of a running one are not', async () => {
  const own = newTempFolder();
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('exit', resolve));
  const left = mkdtempSync(own.replace(/\d+-[^-]*$/, `${child.pid}-`));
  writeFileSync(join(left, '1'), 'a chat');
  removeLeftovers();
  expect([existsSync(own), existsSync(left)]).toEqual([true, false]);
  rmSync(own, { recursive: true });
});
