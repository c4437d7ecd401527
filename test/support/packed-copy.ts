import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newTempFolder } from './temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly version?: string }>>;
}

export interface PackedCopy {
  /** An empty folder in which the package was installed, as `npm install memoryd` does. */
  readonly path: string;
  /** Its program. */
  readonly main: string;
  remove(): void;
}

const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T;

/** Not synchronous: a worker that does nothing else for a minute is lost to Vitest. */
async function npm(folder: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('npm', args, { cwd: folder })).stdout;
}

/** A lock by which the folder gets the package and, of what it depends on, the versions that are tested here. */
function lockFor(archive: string): object {
  const { packages } = readJson<Lock>(join(root, 'package-lock.json'));
  const { '': own, ...others } = packages;
  const needed = Object.entries(others).filter(([, { dev }]) => !dev);
  const dependencies = { memoryd: `file:${archive}` };
  return {
    name: 'installed',
    lockfileVersion: 3,
    packages: {
      '': { name: 'installed', dependencies },
      'node_modules/memoryd': { ...own, resolved: `file:${archive}`, devDependencies: undefined },
      ...Object.fromEntries(needed),
    },
  };
}

/**
 * Packs the build and installs it, with its dependencies from the cache that `npm ci` filled (else the registry). The one
 * thing that is not made again is the binary of better-sqlite3, which takes a minute to compile: it is copied from here.
 */
export async function installPackedCopy(): Promise<PackedCopy> {
  const folder = newTempFolder('installed');
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder.path];
  const archive = (await npm(root, ...pack)).trim();
  const dependencies = { memoryd: `file:${archive}` };
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ name: 'installed', dependencies }));
  // What the lock names in place of global-agent.
  const noDownloads = 'scripts/no-downloads';
  cpSync(join(root, noDownloads), join(folder.path, noDownloads), { recursive: true });
  writeFileSync(join(folder.path, 'package-lock.json'), JSON.stringify(lockFor(archive)));
  await npm(folder.path, 'ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent');
  const binary = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  mkdirSync(join(folder.path, binary, '..'), { recursive: true });
  cpSync(join(root, binary), join(folder.path, binary));
  return { ...folder, main: join(folder.path, 'node_modules/memoryd/dist/main.js') };
}
