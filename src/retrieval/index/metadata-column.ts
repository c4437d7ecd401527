import { parseMetadataKeys } from '../metadata-keys.ts';

const noKeys: readonly number[] = [];
const bytesPerPlace = 8;
/** Of a list of numbers, without them. */
const bytesPerList = 48;

/** What the metadata of each version is found by: for each row the keys of its values, two numbers a key. */
export class MetadataColumn {
  readonly #keys: (readonly number[])[] = [];
  #listBytes = 0;

  get bytes(): number {
    return this.#keys.length * bytesPerPlace + this.#listBytes;
  }

  /** @param keys as `metadataKeysOf` writes them; those of a version never change */
  set(row: number, keys: string): void {
    this.setNumbers(row, keys === '' ? noKeys : parseMetadataKeys(keys));
  }

  /** @param numbers as `parseMetadataKeys` reads them */
  setNumbers(row: number, numbers: readonly number[]): void {
    this.#listBytes += sizeOf(numbers) - sizeOf(this.#keys[row] ?? noKeys);
    this.#keys[row] = numbers;
  }

  numbersOf(row: number): readonly number[] {
    return this.#keys[row];
  }

  has(row: number, [first, second]: readonly [number, number]): boolean {
    const keys = this.#keys[row];
    for (let i = 0; i < keys.length; i += 2) if (keys[i] === first && keys[i + 1] === second) return true;
    return false;
  }
}

function sizeOf(keys: readonly number[]): number {
  return keys.length === 0 ? 0 : bytesPerList + keys.length * 8;
}
