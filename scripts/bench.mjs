// npm run bench NAME [-- ARGUMENTS]: builds if the build is stale, then runs bench/NAME.ts or lab/NAME.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name = '', ...rest] = process.argv.slice(2);
const script = ['bench', 'lab'].map((folder) => join(root, folder, `${name}.ts`)).find(existsSync);
if (script === undefined) {
  const namesIn = (folder) =>
    readdirSync(join(root, folder)).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []));
  console.error(`npm run bench NAME [-- ARGUMENTS]
  measurements (bench/README.md): ${namesIn('bench').join(', ')}
  studies (lab/README.md): ${namesIn('lab').join(', ')}`);
  process.exit(1);
}

const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
run(join(root, 'scripts/build.mjs'), '--if-stale');
run(join(root, 'node_modules/tsx/dist/cli.mjs'), script, ...rest);
