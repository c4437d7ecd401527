import { hash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { factsFile, fileOf, indexHead, indexLine, type MarkdownFile } from './markdown-files.ts';
import type { StatedFact, UserRecord } from './user-records.ts';

/** Lists the files of the last export, each with its hash; a name that begins with a dot is hidden, also from Obsidian. */
const listName = '.memoryd-export';
const factsInFile = 100;

export interface FolderOptions {
  /** Write into a folder that has other files too, and over files that were changed since the last export. */
  readonly force: boolean;
}

export interface Written {
  readonly files: number;
  /** Files of an earlier export whose records are gone. */
  readonly removed: number;
  readonly counts: Readonly<Record<UserRecord['kind'], number>>;
}

/**
 * Writes a file a record, mode 0600. A folder of an earlier export has the records of now afterwards; files of
 * others in it stay.
 * @throws Error if the folder has files that no export wrote, or that were changed since, unless `force`
 */
export async function writeFolder(
  folder: string,
  records: AsyncIterable<UserRecord>,
  { force }: FolderOptions,
): Promise<Written> {
  const before = await readList(join(folder, listName));
  if (!force) await assertOwn(folder, before);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const writer = await FolderWriter.open(folder, { before, force });
  const counts = { conversation: 0, memory: 0, fact: 0, artifact: 0 };
  try {
    for await (const record of records) {
      counts[record.kind]++;
      await writer.add(record);
    }
    return { ...(await writer.finish()), counts };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Hash by path, of the files of an earlier export; empty if there was none. */
type FileList = ReadonlyMap<string, string>;

const listLine = /^([0-9a-f]{64}) (.+)$/;
/** A forged list names no path out of the folder. */
const isInside = (path: string) =>
  !path.split('/').some((part) => part === '' || part === '.' || part === '..');

async function readList(path: string): Promise<FileList> {
  const files = new Map<string, string>();
  for (const each of [path, `${path}.partial`]) {
    if (!existsSync(each)) continue;
    for await (const line of createInterface({
      input: createReadStream(each, 'utf8'),
      crlfDelay: Infinity,
    })) {
      const [, sha256, file] = listLine.exec(line) ?? [];
      if (file !== undefined && isInside(file)) files.set(file, sha256);
    }
  }
  return files;
}

async function assertOwn(folder: string, files: FileList): Promise<void> {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) throw new Error(`${folder} is a file: name a folder.`);
  if (readdirSync(folder).length === 0) return;
  if (files.size === 0 && !existsSync(join(folder, listName)))
    throw new Error(
      `${folder} has files that no export wrote: name a new folder, or say --force to write into this one.`,
    );
  const changed: string[] = [];
  for (const [file, sha256] of files) {
    const now = await hashOfFile(join(folder, file));
    if (now !== undefined && now !== sha256) changed.push(file);
  }
  if (changed.length > 0)
    throw new Error(
      `${changed.length} files were changed since the last export, such as ${changed[0]}: import them first (\`npx memoryd import ${folder}\`), or say --force to write over them.`,
    );
}

async function hashOfFile(path: string): Promise<string | undefined> {
  try {
    return hashOf(await readFile(path));
  } catch {
    // It was removed, or is something else by now: nothing would be lost.
    return undefined;
  }
}

const hashOf = (bytes: Buffer) => hash('sha256', bytes, 'hex');

class FolderWriter {
  readonly #folder: string;
  readonly #before: Map<string, string>;
  readonly #force: boolean;
  readonly #list: FileHandle;
  #index = indexHead;
  #facts: StatedFact[] = [];
  #factFiles = 0;
  #files = 0;
  readonly #folders = new Set<string>();

  private constructor(
    folder: string,
    list: FileHandle,
    { before, force }: { before: FileList; force: boolean },
  ) {
    this.#folder = folder;
    this.#list = list;
    this.#before = new Map(before);
    this.#force = force;
  }

  static async open(folder: string, options: { before: FileList; force: boolean }): Promise<FolderWriter> {
    return new FolderWriter(folder, await open(join(folder, `${listName}.partial`), 'a', 0o600), options);
  }

  async add(record: UserRecord): Promise<void> {
    if (record.kind === 'fact') {
      this.#facts.push(record.fact);
      if (this.#facts.length === factsInFile) await this.#writeFacts();
      return;
    }
    await this.#write(fileOf(record));
    if (record.kind === 'conversation') this.#index += indexLine(record);
  }

  /** Removes what earlier exports wrote and this one did not. */
  async finish(): Promise<{ files: number; removed: number }> {
    await this.#writeFacts();
    await this.#write({ path: 'index.md', text: this.#index });
    let removed = 0;
    for (const path of this.#before.keys()) {
      const old = join(this.#folder, path);
      if (!existsSync(old)) continue;
      await rm(old);
      removed++;
      // A folder that is not empty has files of others, which stay.
      await rmdir(dirname(old)).catch(() => undefined);
    }
    await this.close();
    await rename(join(this.#folder, `${listName}.partial`), join(this.#folder, listName));
    return { files: this.#files, removed };
  }

  close(): Promise<void> {
    return this.#list.close();
  }

  async #writeFacts(): Promise<void> {
    if (this.#facts.length === 0) return;
    await this.#write(factsFile(++this.#factFiles, this.#facts));
    this.#facts = [];
  }

  async #write({ path, text }: MarkdownFile): Promise<void> {
    const bytes = Buffer.from(text);
    const target = join(this.#folder, path);
    const parent = dirname(target);
    if (!this.#folders.has(parent)) {
      mkdirSync(parent, { recursive: true, mode: 0o700 });
      this.#folders.add(parent);
    }
    // Before the file itself: the next export knows all files of one that was interrupted.
    await this.#list.write(`${hashOf(bytes)} ${path}\n`);
    const isOwn = this.#before.delete(path) || this.#force;
    await writeFile(target, bytes, { mode: 0o600, flag: isOwn ? 'w' : 'wx' });
    this.#files++;
  }
}
