import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * Machine and versions of a measurement. `commit` ends in `+changes` when the working tree differs from it.
 */
export interface Environment {
  commit: string;
  measuredAt: string;
  node: string;
  cpu: string;
  cores: number;
  memoryGiB: number;
}

export function describeEnvironment(): Environment {
  return {
    commit: describeCommit(),
    measuredAt: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

function describeCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+changes');
  } catch {
    return 'unknown';
  }
}
