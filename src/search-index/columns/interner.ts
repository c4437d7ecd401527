/** Numbers strings from 0, in order of first sight, for numeric columns. */
export class Interner {
  readonly #numbers = new Map<string, number>();
  readonly #values: string[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** Strings in order of their numbers. */
  get values(): readonly string[] {
    return this.#values;
  }

  intern(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#values.length;
    this.#numbers.set(value, number);
    this.#values.push(value);
    return number;
  }

  /** -1 for an unknown value. */
  find(value: string): number {
    return this.#numbers.get(value) ?? -1;
  }

  value(number: number): string {
    return this.#values[number];
  }
}
