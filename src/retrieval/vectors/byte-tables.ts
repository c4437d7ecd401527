/** Bits of a code that are read at once. */
export const numbersPerWord = 32;

const numbersPerByte = 8;
export const valuesPerByte = 256;
const valuesPerWord = 4 * valuesPerByte;
/** Of 16 bits with a sign. */
const largest = 32_767;

/** A query as sums that bytes of a code stand for, in whole numbers of a unit of its own. */
export interface Tables {
  /** By place of the byte and its value: its eight numbers of the query added, or taken away where the bit is 0. */
  readonly tables: Int16Array;
  /** Deviation of what the words from this one on may add to a sum, as long as nothing is known of their bits. */
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

/** What the words from `begin` to `end` of the code at `from` stand for. Four sums side by side: one waits for itself. */
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
