import { createHash } from 'node:crypto';
import { forEachValue, type Metadata, type MetadataValue } from '../../domain/memories/metadata.ts';
import { NumberListColumn, type NumberLists } from './number-list-column.ts';

const noKeys: readonly number[] = [];

/** Keys of the metadata values of each row, for filters: two numbers for each key. */
export class MetadataColumn {
  readonly #keys = new NumberListColumn(new Float64Array());

  get bytes(): number {
    return this.#keys.bytes;
  }

  /** @param keys as `metadataKeysOf` writes them; those of a version never change */
  set(row: number, keys: string): void {
    this.setNumbers(row, keys === '' ? noKeys : parseMetadataKeys(keys));
  }

  /** @param numbers as `parseMetadataKeys` reads them */
  setNumbers(row: number, numbers: readonly number[]): void {
    this.#keys.set(row, numbers);
  }

  /** Sets the keys of successive rows that have none yet. */
  append(row: number, lists: NumberLists): void {
    this.#keys.append(row, lists);
  }

  numbersOf(row: number): readonly number[] {
    return this.#keys.listOf(row);
  }

  has(row: number, [first, second]: readonly [number, number]): boolean {
    const keys = this.#keys;
    for (let i = 0; i < keys.countOf(row); i += 2)
      if (keys.at(row, i) === first && keys.at(row, i + 1) === second) return true;
    return false;
  }
}

/** Hexadecimal digits of half a key: 52 bits, which a number holds exactly. */
const halfDigits = 13;
const keyDigits = 2 * halfDigits;

/** Key of one value under one path: 104 bits of SHA-256, so that two pairs never share one. */
function keyOf(path: string, value: MetadataValue): string {
  return createHash('sha256')
    .update(`${path}\0${JSON.stringify(value)}`)
    .digest('hex')
    .slice(0, keyDigits);
}

/** The distinct keys of all values in metadata, 26 hexadecimal digits for each; empty for none. */
export function metadataKeysOf(metadata: Metadata | null): string {
  if (metadata === null) return '';
  const keys = new Set<string>();
  forEachValue(metadata, (path, value) => keys.add(keyOf(path, value)));
  return [...keys].sort().join('');
}

/** Keys as numbers, two for each, which compare faster than text. */
function parseMetadataKeys(keys: string): number[] {
  const halves: number[] = [];
  for (let i = 0; i < keys.length; i += halfDigits)
    halves.push(Number.parseInt(keys.slice(i, i + halfDigits), 16));
  return halves;
}

/** The two halves of the key of one value. */
export function metadataKey(path: string, value: MetadataValue): readonly [number, number] {
  const [first, second] = parseMetadataKeys(keyOf(path, value));
  return [first, second];
}
