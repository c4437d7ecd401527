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
      zip.members.filter(({ path: member }) => !isHidden(member) || isSetting(member)),
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

/** Settings of a vault of Obsidian that the reader of its notes needs. */
const settings = ['.obsidian/templates.json', '.obsidian/plugins/templater-obsidian/data.json'];
const isSetting = (path: string) => settings.some((name) => path === name || path.endsWith(`/${name}`));

/** A file or folder that was named. */
export interface NamedPath {
  readonly path: string;
  /** In messages. */
  readonly name: string;
  /** Of a folder, the files and folders directly in it that are read; undefined: all. */
  readonly members?: ReadonlySet<string>;
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

async function filesOf({ path, name, members }: NamedPath, opened: Opened): Promise<readonly SourceFile[]> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new Error(`There is no file ${path}.`);
  if (stats.isDirectory()) {
    const chosen = entriesOf(path).filter((entry) => members?.has(entry.name) ?? true);
    return opened.expand(bounded(filesBelow(chosen, { folder: path, within: '' }, opened.temp)), 0);
  }
  const file = diskFile(path, basename(name), stats, opened.temp);
  const isPacked = await isZip(file);
  return isPacked ? opened.zip(path, name, '', 1) : [file];
}

/** @throws Error for more files than an input may have */
function bounded(files: Iterable<SourceFile>): readonly SourceFile[] {
  const all: SourceFile[] = [];
  for (const file of files) {
    if (all.length === filesMax) throw new Error(`There are more than ${filesMax} files.`);
    all.push(file);
  }
  return all;
}

interface Place {
  readonly folder: string;
  /** Path of the folder in the input, with a slash; empty for the input itself. */
  readonly within: string;
}

/** In the order of their names, folder by folder. */
function* filesBelow(entries: readonly Dirent[], place: Place, temp: TempFiles): Generator<SourceFile> {
  for (const entry of entries) {
    const path = `${place.within}${entry.name}`;
    const diskPath = join(place.folder, entry.name);
    if (entry.name === '.obsidian' && entry.isDirectory()) yield* settingsIn(place, temp);
    if (isHidden(entry.name)) continue;
    if (entry.isDirectory())
      yield* filesBelow(entriesOf(diskPath), { folder: diskPath, within: `${path}/` }, temp);
    else if (entry.isFile()) {
      const stats = statSync(diskPath, { throwIfNoEntry: false });
      // Removed since it was listed: agents tidy up while they work.
      if (stats) yield diskFile(diskPath, path, stats, temp);
    }
  }
}

function* settingsIn({ folder, within }: Place, temp: TempFiles): Generator<SourceFile> {
  for (const name of settings) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile()) yield diskFile(join(folder, name), `${within}${name}`, stats, temp);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}
