import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';

/** File names of copies of `backup --keep`: the time in UTC, so names sort by age. */
const copyName = /^memoryd-\d{8}T\d{6}Z\.(?:db|jsonl)$/;
/** File names that a killed backup leaves: the copy under way and the files that SQLite puts next to it. */
const partialName = /^memoryd-\d{8}T\d{6}Z\.(?:db|jsonl)\.partial(?:-journal|-wal|-shm)?$/;
/** A backup under way writes all the time: what was not written to for an hour is left over. */
const partialAgeMs = 3_600_000;

/** The path of a new copy in `folder`, which is made (mode 0700) where it is not there. */
export function newCopyIn(folder: string, extension: 'db' | 'jsonl', clock: Clock): string {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new Error(`${folder} is a file: with --keep name a folder, in which each backup is a new file.`);
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  return join(folder, `memoryd-${time}.${extension}`);
}

/**
 * Removes all copies in `folder` but the newest `keep`, and what killed backups left. Other files stay.
 * @returns the names of the copies that were removed
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
