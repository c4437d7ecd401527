/** A note as links name it. */
export interface NamedNote {
  /** From the root of its folder, in NFC. */
  readonly path: string;
  readonly title: string;
  readonly permalink: string | undefined;
  readonly aliases: readonly string[];
}

const withoutEnd = (path: string) => path.replace(/\.(?:md|markdown)$/i, '');
/** Names are compared without case, in NFC: macOS writes them decomposed. */
const keyOf = (name: string) => name.normalize('NFC').toLowerCase().trim();
const lastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** File name without folder and ending. */
export const fileTitle = (path: string) => withoutEnd(lastPart(path));

/**
 * Finds the note that a link names: by its path, permalink, title, alias, then by its file name alone, of several the
 * nearest to the note with the link.
 */
export class NoteNames {
  readonly #byPath = new Map<string, number>();
  readonly #byName: readonly Map<string, number>[] = [new Map(), new Map(), new Map()];
  readonly #byFileName = new Map<string, number[]>();
  readonly #paths: string[] = [];

  /** @returns its number */
  add({ path, title, permalink, aliases }: NamedNote): number {
    const number = this.#paths.push(path) - 1;
    const [permalinks, titles, others] = this.#byName;
    setOnce(this.#byPath, keyOf(withoutEnd(path)), number);
    if (permalink !== undefined) setOnce(permalinks, keyOf(permalink), number);
    setOnce(titles, keyOf(title), number);
    for (const alias of aliases) setOnce(others, keyOf(alias), number);
    const name = keyOf(fileTitle(path));
    const same = this.#byFileName.get(name);
    if (same) same.push(number);
    else this.#byFileName.set(name, [number]);
    return number;
  }

  /** @param from number of the note with the link @returns the number of the note, or undefined */
  find(target: string, from: number): number | undefined {
    const key = keyOf(withoutEnd(target.replace(/^\/+/, '')));
    const byName =
      this.#byPath.get(key) ??
      this.#byName.map((names) => names.get(key)).find((found) => found !== undefined);
    if (byName !== undefined) return byName;
    const ends = (this.#byFileName.get(lastPart(key)) ?? []).filter(
      (number) => !key.includes('/') || `/${keyOf(withoutEnd(this.#paths[number]))}`.endsWith(`/${key}`),
    );
    const nearness = (number: number) => sharedLength(this.#paths[number], this.#paths[from]);
    return ends.reduce<number | undefined>(
      (best, each) => (best === undefined || nearness(each) > nearness(best) ? each : best),
      undefined,
    );
  }

  /** The note at a path as a Markdown link has it: from the note with the link, or from the root with `/` before. */
  findPath(target: string, from: number): number | undefined {
    const folder = target.startsWith('/') ? [] : this.#paths[from].split('/').slice(0, -1);
    const parts: string[] = [...folder];
    for (const part of target.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    return this.#byPath.get(keyOf(withoutEnd(parts.join('/'))));
  }
}

function setOnce(map: Map<string, number>, key: string, number: number): void {
  if (key !== '' && !map.has(key)) map.set(key, number);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
