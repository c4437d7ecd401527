// Compiles src to dist, and the explorer to dist/ui. With --if-stale only where dist is not of this source: the stamp in dist is a hash of what
// the compiler reads. Plain JavaScript, for it runs before anything is built.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stampPath = join(dist, '.stamp');
/** The explorer, which Vite builds and empties by itself. */
const uiFolder = join(dist, 'ui');
const bundleFolder = join(dist, 'bundle');
const compilerPath = join(root, 'node_modules/typescript/bin/tsc');

/** The program, and the types that the package exports. */
const projects = ['tsconfig.build.json', 'tsconfig.types.json'];

const filesBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

function stampOfSource() {
  const hash = createHash('sha256');
  const settings = ['tsconfig.json', ...projects, 'package-lock.json'];
  for (const path of [...settings.map((name) => join(root, name)), ...filesBelow('src'), ...filesBelow('ui')])
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
}

/** What a file was compiled to stays in dist when the file is gone, and would be packed. */
function removeLeftovers() {
  for (const path of filesBelow('dist')) {
    if (path.startsWith(uiFolder) || path.startsWith(bundleFolder)) continue;
    const compiled = /^(.+?)(?:\.d\.ts|\.js|\.js\.map)$/.exec(path.slice(dist.length + 1))?.[1];
    if (compiled !== undefined && !existsSync(join(root, 'src', `${compiled}.ts`))) rmSync(path);
  }
}

/** Makes few files of the program, and has `main.js` run those. */
async function bundle(build) {
  await build({ configFile: join(root, 'scripts/bundle/config.ts') });
  const main = join(dist, 'main.js');
  writeFileSync(main, readFileSync(main, 'utf8').replace('./cli/program.js', './bundle/program.js'));
}

const stamp = stampOfSource();
const isCurrent = existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp;

if (!(process.argv.includes('--if-stale') && isCurrent)) {
  if (!existsSync(compilerPath)) {
    console.error('memoryd has to be built, and the TypeScript compiler is not installed: run npm ci');
    process.exit(1);
  }
  if (process.stderr.isTTY) console.error('building memoryd ...');
  rmSync(stampPath, { force: true });
  for (const project of projects) {
    const compiled = spawnSync(process.execPath, [compilerPath, '-p', project], {
      cwd: root,
      stdio: 'inherit',
    });
    if (compiled.status !== 0) process.exit(compiled.status ?? 1);
  }
  const { build } = await import('vite');
  await build({ configFile: join(root, 'ui/vite.config.ts') });
  removeLeftovers();
  if (existsSync(join(dist, 'cli/program.js'))) await bundle(build);
  writeFileSync(stampPath, stamp);
}
