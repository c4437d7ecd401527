import type { Documents } from './documents.js';

const root = '/memories';

/** A sentence for the model. */
export class FileError extends Error {}

const isBelow = (key: string, path: string) => key.startsWith(`${path}/`);

/** @throws FileError for a path that leaves /memories */
function checked(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const clean = `/${parts.join('/')}`;
  if (!path.startsWith('/') || (clean !== root && !isBelow(clean, root)))
    throw new FileError(`Error: Path must start with /memories, got: ${path}`);
  return clean;
}

/** Files below /memories, as the memory tool of Anthropic has them: documents with versions, in folders that need no making. */
export class MemoryFiles {
  readonly #files: Documents;

  constructor(documents: Documents) {
    this.#files = documents;
  }

  async view(given: string, lines: readonly number[] = []): Promise<string> {
    const path = checked(given);
    const file = await this.#files.read(path);
    if (!file) return this.#folder(path);
    const [first, last] = lines.length === 2 ? [Math.max(1, lines[0]), lines[1]] : [1, -1];
    const shown = file.text.split('\n').slice(first - 1, last === -1 ? undefined : last);
    const numbered = shown.map((line, i) => `${String(first + i).padStart(6)}\t${line}`);
    return [`Here's the content of ${path} with line numbers:`, ...numbered].join('\n');
  }

  async #folder(path: string): Promise<string> {
    const sizes = new Map([[path, 0]]);
    for await (const { key, text } of this.#files.find({ within: path })) {
      if (!isBelow(key, path)) continue;
      const size = new TextEncoder().encode(text).length;
      const parts = key.slice(path.length + 1).split('/');
      const names = [1, 2]
        .filter((depth) => depth <= parts.length)
        .map((depth) => parts.slice(0, depth).join('/') + (depth < parts.length ? '/' : ''));
      for (const name of [path, ...names.map((one) => `${path}/${one}`)])
        sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
    if (sizes.size === 1 && path !== root)
      throw new FileError(`The path ${path} does not exist. Please provide a valid path.`);
    const head = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
    const rows = [...sizes].sort(([a], [b]) => (a < b ? -1 : 1));
    return [head, ...rows.map(([name, size]) => `${(size / 1024).toFixed(1)}K\t${name}`)].join('\n');
  }

  async create(path: string, text: string): Promise<string> {
    if (await this.#files.read(checked(path))) throw new FileError(`Error: File ${path} already exists`);
    await this.#write(path, text);
    return `File created successfully at: ${path}`;
  }

  async strReplace(path: string, old: string, now: string): Promise<string> {
    const text = await this.#text(path);
    const pieces = old === '' ? [text] : text.split(old);
    if (pieces.length === 1)
      throw new FileError(
        `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`,
      );
    const lineAt = (count: number) => pieces.slice(0, count).join(old).split('\n').length;
    if (pieces.length > 2) {
      const lines = pieces.slice(1).map((_, i) => lineAt(i + 1));
      throw new FileError(
        `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines.join(', ')}. Please ensure it is unique`,
      );
    }
    await this.#write(path, pieces.join(now));
    return `The memory file has been edited.\n${await this.view(path, [lineAt(1) - 2, lineAt(1) + 2])}`;
  }

  async insert(path: string, line: number, text: string): Promise<string> {
    const lines = (await this.#text(path)).replace(/\n$/, '').split('\n');
    if (!(line >= 0 && line <= lines.length))
      throw new FileError(
        `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range [0, ${lines.length}].`,
      );
    lines.splice(line, 0, text.replace(/\n$/, ''));
    await this.#write(path, `${lines.join('\n')}\n`);
    return `The file ${path} has been edited.`;
  }

  async delete(given: string): Promise<string> {
    const path = checked(given);
    if (path === root) throw new FileError('Cannot delete the /memories directory itself');
    for (const key of await this.#all(path)) await this.#files.delete(key);
    return `Successfully deleted ${path}`;
  }

  async rename(from: string, to: string): Promise<string> {
    const [old, now] = [checked(from), checked(to)];
    if (old === root) throw new FileError('Cannot rename the /memories directory itself');
    const keys = await this.#all(old);
    if (isBelow(now, old) || (await this.#keys(now)).length > 0)
      throw new FileError(`Error: The destination ${now} already exists`);
    for (const key of keys) {
      await this.#write(now + key.slice(old.length), await this.#text(key));
      await this.#files.delete(key);
    }
    return `Successfully renamed ${old} to ${now}`;
  }

  async #text(path: string): Promise<string> {
    const file = await this.#files.read(checked(path));
    if (!file) throw new FileError(`Error: The path ${path} does not exist. Please provide a valid path.`);
    return file.text;
  }

  async #write(given: string, text: string): Promise<void> {
    const path = checked(given);
    const parts = path.split('/');
    const within = parts.slice(2).map((_, i) => parts.slice(0, i + 2).join('/'));
    await this.#files.write(path, text, { within });
  }

  /** The file itself, or all below the folder. */
  async #keys(path: string): Promise<string[]> {
    if (await this.#files.read(path)) return [path];
    const keys: string[] = [];
    for await (const { key } of this.#files.find({ within: path })) if (isBelow(key, path)) keys.push(key);
    return keys;
  }

  async #all(path: string): Promise<string[]> {
    const keys = await this.#keys(path);
    if (keys.length === 0) throw new FileError(`Error: The path ${path} does not exist`);
    return keys;
  }
}
