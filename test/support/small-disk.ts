import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTempFolder } from './temp-folder.ts';

/** A disk of its own in memory, to be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves at most `bytesLeft` free, rounded up to pages of 4 KB. */
  fill(bytesLeft?: number): void;
  /** Takes away what `fill` wrote. */
  free(): void;
  resize(size: string): void;
  makeReadOnly(readOnly: boolean): void;
  removeFile(name: string): void;
  remove(): void;
}

/** @param size as `mount` takes it, `4m` @returns why there is none where mounting is refused */
export function newSmallDisk(size: string): SmallDisk | { readonly refusal: string } {
  const folder = newTempFolder('disk');
  const path = join(folder.path, 'disk');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    folder.remove();
    return { refusal: (error as Error).message.trim().replaceAll('\n', ' ') };
  }
  const ballast = join(path, 'ballast');
  const free = () => rmSync(ballast, { force: true });
  return {
    path,
    free,
    fill(bytesLeft = 0) {
      free();
      const { bavail, bsize } = statfsSync(path);
      const pages = bavail - Math.ceil(bytesLeft / bsize);
      if (pages > 0) writeFileSync(ballast, Buffer.alloc(pages * bsize));
    },
    makeReadOnly: (readOnly) => void execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, path]),
    removeFile: (name) => rmSync(join(path, name), { recursive: true, force: true }),
    resize: (to) => void execFileSync('mount', ['-o', `remount,size=${to}`, path]),
    remove() {
      execFileSync('umount', ['--lazy', path]);
      folder.remove();
    },
  };
}

/** For tests: a disk where this machine lets us mount one, else undefined. */
export function smallDiskIfAllowed(size: string): SmallDisk | undefined {
  const disk = newSmallDisk(size);
  return 'refusal' in disk ? undefined : disk;
}
