import { parseMetadataKeys } from './metadata-keys.ts';
import { NumberListColumn } from './number-list-column.ts';
import type { NumberLists } from './number-lists.ts';

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
