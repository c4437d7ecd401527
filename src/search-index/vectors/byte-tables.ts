/** Bits of a code that are read at once. */
export const numbersPerWord = 32;

const numbersPerByte = 8;
export const valuesPerByte = 256;
const valuesPerWord = 4 * valuesPerByte;
/** Largest number of 16 bits with a sign. */
const largest = 32_767;

/**
 * Lookup tables of a query: for each byte of a code, the sum that
 * the byte contributes, in whole numbers of a unit of the query.
 */
export interface Tables {
  /**
   * By place of the byte and its value: the sum of its eight numbers of the query, negated if their bit is 0.
   */
  readonly tables: Int16Array;
  /** Standard deviation of the sum of all words from this one on, if none of their bits is known. */
  deviationFrom(word: number): number;
}

export function byteTables(query: Float32Array): Tables {
  const words = Math.ceil(query.length / numbersPerWord);
  const bytes = words * 4;
  const padded = new Float64Array(bytes * numbersPerByte);
  padded.set(query);
  const scale = largest / (largestOfByte(padded) || 1);
  const tables = new Int16Array(bytes * valuesPerByte);
  for (let byte = 0; byte < bytes; byte++) {
    const numbers = padded.subarray(byte * numbersPerByte, (byte + 1) * numbersPerByte);
    const sums = new Float64Array(valuesPerByte);
    for (const number of numbers) sums[0] -= number * scale;
    for (let bit = 0; bit < numbersPerByte; bit++) {
      const twice = 2 * numbers[bit] * scale;
      for (let value = 0; value < 1 << bit; value++) sums[value + (1 << bit)] = sums[value] + twice;
    }
    for (let value = 0; value < valuesPerByte; value++)
      tables[byte * valuesPerByte + value] = Math.round(sums[value]);
  }
  const deviationFrom = (word: number) => scale * Math.hypot(...padded.subarray(word * numbersPerWord));
  return { tables, deviationFrom };
}

function largestOfByte(padded: Float64Array): number {
  let most = 0;
  for (let from = 0; from < padded.length; from += numbersPerByte) {
    let sum = 0;
    for (let i = from; i < from + numbersPerByte; i++) sum += Math.abs(padded[i]);
    most = Math.max(most, sum);
  }
  return most;
}

/**
 * Sum of the words from `begin` to `end` of the code at `from`.
 * Four sums are independent, so that additions overlap.
 */
export function sumOf(
  tables: Int16Array,
  bits: Int32Array,
  from: number,
  begin: number,
  end: number,
): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let word = begin, table = begin * valuesPerWord; word < end; word++, table += valuesPerWord) {
    const four = bits[from + word];
    a = (a + tables[table + (four & 255)]) | 0;
    b = (b + tables[table + valuesPerByte + ((four >>> 8) & 255)]) | 0;
    c = (c + tables[table + 2 * valuesPerByte + ((four >>> 16) & 255)]) | 0;
    d = (d + tables[table + 3 * valuesPerByte + (four >>> 24)]) | 0;
  }
  return a + b + c + d;
}
