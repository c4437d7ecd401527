import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../bench/http/quantiles.ts';

const { values } = parseArgs({
  options: { folder: { type: 'string', default: '.' }, rounds: { type: 'string', default: '4' } },
});
/** Number of 4 KiB pages that a create writes to the WAL, and of a WAL at its full size. */
const pages = { ofCommit: 18, ofFile: 4000 };
const commits = 1000;

/**
 * Median milliseconds of an `fsync` after the writes of a commit, with and without a `stat` of the same file
 * before them, by turns. The result is the reason why `FileWatch` does not check the WAL at each commit.
 */
const folder = mkdtempSync(join(values.folder, 'fsync-'));
try {
  const path = join(folder, 'file');
  const file = openSync(path, 'w+');
  const page = Buffer.alloc(4096, 1);
  const writePage = (place: number) =>
    writeSync(file, page, 0, page.length, (place % pages.ofFile) * page.length);
  for (let i = 0; i < pages.ofFile; i++) writePage(i);
  fsyncSync(file);
  const times = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round < Number(values.rounds); round++)
    for (const side of ['without', 'with'] as const)
      for (let commit = 0; commit < commits; commit++) {
        if (side === 'with') statSync(path);
        for (let i = 0; i < pages.ofCommit; i++) writePage(commit * pages.ofCommit + i);
        const began = performance.now();
        fsyncSync(file);
        times[side].push(performance.now() - began);
      }
  closeSync(file);
  const [before, after] = [median(times.without), median(times.with)];
  console.log(
    `fsync p50: ${before.toFixed(3)} ms, after a stat ${after.toFixed(3)} ms: ${(after / before).toFixed(2)} times`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
