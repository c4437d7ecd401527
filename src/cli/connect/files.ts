import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { NotEditable } from './edit.ts';

/** The state of a file before `connect` wrote it, kept so that `disconnect` leaves the same bytes. */
export interface Kept {
  /** In base64; null: there was no file. */
  readonly before: string | null;
  /** SHA-256 of the bytes that were written. */
  readonly written: string;
  /** Folders that were made for the file, the outermost first. */
  readonly folders: readonly string[];
}

interface KeptFiles {
  /** Folders that were made for the records. */
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, Kept>>;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The records of `connect`, in a file that only its owner reads: settings of clients may have keys. */
export class KeptStore {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'connected.json');
  }

  of(path: string): Kept | undefined {
    return this.#read().files[path];
  }

  /** The folders above a file that are not there, or that were made for another file: the last to go takes them along. */
  foldersFor(path: string): readonly string[] {
    const made = Object.values(this.#read().files).flatMap(({ folders }) => folders);
    const above = made.filter((folder) => path.startsWith(folder + sep));
    return [...new Set([...above, ...missingFolders(path)])].sort((a, b) => a.length - b.length);
  }

  /** @param kept undefined: forgets the file */
  set(path: string, kept: Kept | undefined): void {
    const { folders, files } = this.#read();
    const { [path]: _, ...others } = files;
    const left = kept ? { ...others, [path]: kept } : others;
    if (Object.keys(left).length === 0) {
      rmSync(this.#path, { force: true });
      removeEmpty(folders);
      return;
    }
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeWhole(this.#path, Buffer.from(JSON.stringify({ folders, files: left })), 0o600);
  }

  #read(): KeptFiles {
    if (!existsSync(this.#path)) return { folders: missingFolders(this.#path), files: {} };
    return JSON.parse(readFileSync(this.#path, 'utf8')) as KeptFiles;
  }
}

/** @param folders the outermost first */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it by now, or it is gone: those around it stay.
      return;
    }
  }
}

/** The bytes of a file; undefined: there is none. @throws NotEditable if it may not be written or is not UTF-8 */
export function readEditable(path: string): Buffer | undefined {
  if (!existsSync(path)) {
    if (lstatSync(path, { throwIfNoEntry: false })) throw new NotEditable('is a link to nothing');
    return undefined;
  }
  const stat = statSync(path);
  if (!stat.isFile()) throw new NotEditable('is no file');
  // Asked of the mode: root may write what its owner has locked.
  if ((stat.mode & 0o200) === 0) throw new NotEditable('is read-only');
  const bytes = readFileSync(path);
  if (!Buffer.from(bytes.toString('utf8')).equals(bytes)) throw new NotEditable('is not UTF-8');
  return bytes;
}

/** Writes a file next to it and renames that one, so that no reader gets half of it; a link stays one. */
function writeWhole(path: string, bytes: Uint8Array, modeOfNew: number): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : modeOfNew;
  const unfinished = `${target}.memoryd-${process.pid}`;
  writeFileSync(unfinished, bytes, { mode });
  chmodSync(unfinished, mode);
  renameSync(unfinished, target);
}

/** The folders above a file that are not there, the outermost first. */
function missingFolders(path: string): string[] {
  const folder = dirname(path);
  return existsSync(folder) ? [] : [...missingFolders(folder), folder];
}

/** Writes a file as a client is to find it, and keeps the state before. @param before without what `connect` writes */
export function writeConnected(
  store: KeptStore,
  path: string,
  text: string,
  before: Buffer | undefined,
): void {
  const written = Buffer.from(text);
  const folders = store.of(path)?.folders ?? store.foldersFor(path);
  // Kept first: if the process ends between the two, the file is as it was, and its record says so.
  store.set(path, { before: before?.toString('base64') ?? null, written: hashOf(written), folders });
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  // It has the key.
  writeWhole(path, written, 0o600);
}

/** The bytes before `connect`, if nothing but `connect` has written the file since. */
export function untouchedBefore(
  bytes: Buffer | undefined,
  kept: Kept | undefined,
): { before: Buffer | undefined } | undefined {
  if (!kept || !bytes || hashOf(bytes) !== kept.written) return undefined;
  return { before: kept.before === null ? undefined : Buffer.from(kept.before, 'base64') };
}

/** Leaves a file as it was, and no folder that was made for it and is empty. @param before undefined: there was no file */
export function writeDisconnected(store: KeptStore, path: string, before: Buffer | undefined): void {
  const folders = store.of(path)?.folders ?? [];
  if (before) writeWhole(path, before, 0o600);
  else rmSync(path, { force: true });
  removeEmpty(folders);
  store.set(path, undefined);
}
