import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';

/** File names of copies of `backup --keep`: the time in UTC, so names sort by age. */
const copyName = /^memoryd-\d{8}T\d{6}Z\.(?:db|jsonl)$/;
/** File names that a killed backup leaves: the copy under way and the files that SQLite puts next to it. */
const partialName = /^memoryd-\d{8}T\d{6}Z\.(?:db|jsonl)\.partial(?:-journal|-wal|-shm)?$/;
/** A running backup writes all the time: a file without a write for an hour is left over. */
const partialAgeMs = 3_600_000;

/** The path of a new copy in `folder`, which is created (mode 0700) if it does not exist. */
export function newCopyIn(folder: string, extension: 'db' | 'jsonl', clock: Clock): string {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new Error(`${folder} is a file: with --keep name a folder, in which each backup is a new file.`);
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return join(folder, `memoryd-${time}.${extension}`);
}

/**
 * Removes all copies in `folder` but the newest `keep`, and the remains of killed backups. Other files stay.
 * @returns the names of the removed copies
 */
export function removeOldCopies(folder: string, keep: number, clock: Clock): string[] {
  const names = readdirSync(folder);
  const copies = names.filter((name) => copyName.test(name)).sort();
  const old = copies.slice(0, Math.max(0, copies.length - keep));
  const leftovers = names.filter(
    (name) =>
      partialName.test(name) &&
      (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) < clock.now() - partialAgeMs,
  );
  for (const name of [...old, ...leftovers]) rmSync(join(folder, name), { force: true });
  return old;
}
