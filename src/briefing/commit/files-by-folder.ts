import { groupBy } from '../../lib/collections.ts';

const foldersMax = 12;
const depthMax = 4;
const namesMax = 6;

interface Folder {
  readonly path: string;
  readonly files: readonly string[];
}

/** Lines such as `- src/http (3 files): app.ts, routes/index.ts, services.ts`, folders in the order of their names. */
export function filesByFolder(files: readonly string[]): string[] {
  const folders = foldersOf([...new Set(files)].sort());
  const shown = folders.slice(0, foldersMax).map(({ path, files: inside }) => {
    const names = inside
      .slice(0, namesMax)
      .map((file) => (path === '.' ? file : file.slice(path.length + 1)));
    const more = inside.length > namesMax ? ` and ${inside.length - namesMax} more` : '';
    return `- ${path} (${inside.length} ${inside.length === 1 ? 'file' : 'files'}): ${names.join(', ')}${more}`;
  });
  const rest = folders.slice(foldersMax);
  const count = rest.reduce((sum, { files: inside }) => sum + inside.length, 0);
  return count === 0 ? shown : [...shown, `- ${rest.length} more folders (${count} files)`];
}

/** The deepest level that keeps the number of folders readable. */
function foldersOf(files: readonly string[]): Folder[] {
  for (let depth = depthMax; ; depth--) {
    const folders = groupedTo(depth, files);
    if (folders.length <= foldersMax || depth === 1) return folders;
  }
}

function groupedTo(depth: number, files: readonly string[]): Folder[] {
  const folderOf = (file: string) => file.split('/').slice(0, -1).slice(0, depth).join('/') || '.';
  return [...groupBy(files, folderOf)].map(([path, inside]) => ({ path, files: inside }));
}
