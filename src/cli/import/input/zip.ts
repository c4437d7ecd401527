import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { fileBytesMax, SourceFile } from './source-file.ts';
import type { TempFiles } from './temp-files.ts';

const mebibyte = 1024 * 1024;
/** Bounds of one zip. Declared sizes are checked before anything is unpacked; yauzl ends a member that unpacks to more. */
const zipMax = {
  members: 100_000,
  /** All members together, unpacked. */
  bytes: 32 * 1024 ** 3,
  /** Unpacked bytes for each packed one; JSON reaches 30. */
  ratio: 250,
};
/** Smaller ones may be packed as well as they like. */
const ratioBytesMin = 16 * mebibyte;

const typeMask = 0o170000;
const linkType = 0o120000;

/** A zip that is open. */
export interface OpenZip {
  readonly members: readonly SourceFile[];
  close(): void;
}

/**
 * The members of a zip, which are unpacked as they are read; folders, links and encrypted members are not among them.
 * @param within path of the zip in its input, with a slash; empty for a zip that is the input
 * @throws Error in one sentence if it is broken, has a member that leads out of it, or is beyond the bounds
 */
export async function openZip(path: string, name: string, within: string, temp: TempFiles): Promise<OpenZip> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: Error) => {
    throw new Error(`${name} cannot be read as a zip: ${error.message}.`, { cause: error });
  });
  try {
    const members: SourceFile[] = [];
    for await (const entry of entriesOf(zip, name)) {
      if (entry.fileName.endsWith('/') || isLink(entry) || !entry.canDecodeFileData()) continue;
      members.push(memberOf(zip, entry, within, temp));
    }
    return { members, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function* entriesOf(zip: ZipFile, name: string): AsyncGenerator<Entry> {
  const refuse = (reason: string) => new Error(`${name} is refused: ${reason}.`);
  if (zip.entryCount > zipMax.members) throw refuse(`it has more than ${zipMax.members} members`);
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize, compressedSize } = entry;
      bytes += uncompressedSize;
      if (uncompressedSize > fileBytesMax) throw refuse(`${fileName} would be larger than 8 GiB`);
      if (bytes > zipMax.bytes) throw refuse('its members would be larger than 32 GiB together');
      if (isBomb(uncompressedSize, compressedSize))
        throw refuse(`${fileName} would unpack to more than ${zipMax.ratio} times its size`);
      yield entry;
    }
  } catch (error) {
    if ((error as Error).message.startsWith(name)) throw error;
    // yauzl refuses absolute paths and those with `..` in these words.
    throw refuse((error as Error).message);
  }
  if (isBomb(bytes, zip.fileSize))
    throw refuse(`it would unpack to more than ${zipMax.ratio} times its size`);
}

const isBomb = (unpacked: number, packed: number) =>
  unpacked > ratioBytesMin && unpacked > packed * zipMax.ratio;

/** By the mode of Unix that a packer there writes. */
const isLink = ({ externalFileAttributes }: Entry) =>
  ((externalFileAttributes >>> 16) & typeMask) === linkType;

function memberOf(zip: ZipFile, entry: Entry, within: string, temp: TempFiles): SourceFile {
  return new SourceFile(
    {
      path: within + entry.fileName,
      size: entry.uncompressedSize,
      modifiedAt: entry.getLastModDate(),
      diskPath: undefined,
      open: () => zip.openReadStreamPromise(entry),
    },
    temp,
  );
}
