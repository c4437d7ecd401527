import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Input, InputFile } from '../readers/reader.ts';
import { diskFile, type SourceFile } from './source-file.ts';
import { TempFiles } from './temp-files.ts';
import { type OpenZip, openZip } from './zip.ts';

const filesMax = 100_000;
/** A zip in a zip is opened, one in that is not. */
const zipDepthMax = 2;
const zipMark = 'PK\u0003\u0004';

/** Zips and temporary files that are open while inputs are read. */
class Opened {
  readonly temp = new TempFiles();
  readonly #zips: OpenZip[] = [];

  /** The files, with those named `*.zip` replaced by their members. */
  async expand(files: readonly SourceFile[], depth: number): Promise<readonly SourceFile[]> {
    const all: SourceFile[] = [];
    for (const file of files) {
      const isOpened = depth < zipDepthMax && /\.zip$/i.test(file.path) && (await isZip(file));
      if (isOpened)
        all.push(...(await this.zip(await file.diskPath(), file.path, `${file.path}/`, depth + 1)));
      else all.push(file);
      if (all.length > filesMax) throw new Error(`There are more than ${filesMax} files.`);
    }
    return all.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async zip(path: string, name: string, within: string, depth: number): Promise<readonly SourceFile[]> {
    const zip = await openZip(path, name, within, this.temp);
    this.#zips.push(zip);
    return this.expand(
      zip.members.filter((member) => !isHidden(member.path)),
      depth,
    );
  }

  close(): void {
    for (const zip of this.#zips) zip.close();
    this.temp.remove();
  }
}

const isZip = async (file: InputFile) => (await file.head(zipMark.length)) === zipMark;

/** Of the system and of tools: `.git`, `.obsidian`, what macOS puts into zips. */
const isHidden = (path: string) =>
  path.split('/').some((part) => part.startsWith('.') || part === '__MACOSX' || part === 'node_modules');

/** A file or folder that was named. */
export interface NamedPath {
  readonly path: string;
  /** In messages. */
  readonly name: string;
}

/**
 * Opens files and folders for the duration of `run`: a folder or a zip is an input of many files, any other file one of its
 * own. Links in a folder are not followed. Nothing is written but temporary files, which are removed.
 * @throws Error if a path cannot be read, or is beyond the bounds
 */
export async function withInputs<T>(
  paths: readonly NamedPath[],
  run: (inputs: readonly Input[]) => Promise<T>,
): Promise<T> {
  const opened = new Opened();
  try {
    const inputs: Input[] = [];
    for (const named of paths) inputs.push({ name: named.name, files: await filesOf(named, opened) });
    return await run(inputs);
  } finally {
    opened.close();
  }
}

async function filesOf({ path, name }: NamedPath, opened: Opened): Promise<readonly SourceFile[]> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new Error(`There is no file ${path}.`);
  if (stats.isDirectory()) return opened.expand([...filesBelow(path, '', opened.temp)], 0);
  const file = diskFile(path, basename(name), stats, opened.temp);
  const isPacked = await isZip(file);
  return isPacked ? opened.zip(path, name, '', 1) : [file];
}

/** In the order of their names, folder by folder. */
function* filesBelow(folder: string, within: string, temp: TempFiles): Generator<SourceFile> {
  for (const entry of entriesOf(folder)) {
    const path = `${within}${entry.name}`;
    const diskPath = join(folder, entry.name);
    if (isHidden(entry.name)) continue;
    if (entry.isDirectory()) yield* filesBelow(diskPath, `${path}/`, temp);
    else if (entry.isFile()) yield diskFile(diskPath, path, statSync(diskPath), temp);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}
