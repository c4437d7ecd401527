/** Forms of a column: all numbers equal, whole numbers relative to the least, or numbers as they are. */
const forms = { equal: 0, bytes1: 1, bytes2: 2, bytes4: 3, bytes6: 4, bytes8: 5 } as const;

/** Form, the least number, and the value of the highest code. */
const headBytes = 1 + 8 + 8;

type Numbers = Float64Array | Int32Array | Uint8Array;

interface Range {
  readonly least: number;
  readonly most: number;
  /** The one value that is not finite, if any: a column has at most one. */
  readonly special: number | undefined;
  readonly areWhole: boolean;
}

function rangeOf(values: Numbers): Range {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let special: number | undefined;
  let areWhole = true;
  for (const value of values) {
    if (Number.isFinite(value)) {
      if (value < least) least = value;
      if (value > most) most = value;
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) areWhole = false;
    } else {
      if (special !== undefined && !Object.is(special, value)) areWhole = false;
      special = value;
    }
  }
  return { least, most, special, areWhole };
}

function formOf({ least, most, special, areWhole }: Range): number {
  if (least > most) return areWhole ? forms.equal : forms.bytes8;
  if (!areWhole) return forms.bytes8;
  if (least === most && special === undefined) return forms.equal;
  // The highest code is reserved for the special value.
  const codes = most - least + 2;
  if (codes <= 2 ** 8) return forms.bytes1;
  if (codes <= 2 ** 16) return forms.bytes2;
  if (codes <= 2 ** 32) return forms.bytes4;
  return codes <= 2 ** 48 ? forms.bytes6 : forms.bytes8;
}

const widths = [0, 1, 2, 4, 6, 8];

/** The numbers in as few bytes each as their range allows, little-endian. */
export function encodeNumbers(values: Numbers): Buffer {
  const range = rangeOf(values);
  const form = formOf(range);
  const bytes = Buffer.alloc(headBytes + widths[form] * values.length);
  const hasNumbers = range.least <= range.most;
  bytes.writeUInt8(form, 0);
  bytes.writeDoubleLE(hasNumbers ? range.least : (range.special ?? 0), 1);
  bytes.writeDoubleLE(range.special ?? 0, 9);
  const body = bytes.subarray(headBytes);
  if (form === forms.bytes8) body.set(bytesOf(Float64Array.from(values)));
  else if (form !== forms.equal) body.set(bytesOf(codesOf(values, range, form)));
  return bytes;
}

function codesOf(values: Numbers, { least }: Range, form: number): Uint8Array | Uint16Array | Uint32Array {
  const { length } = values;
  const special = 2 ** (8 * widths[form]) - 1;
  const codeOf = (value: number) => (Number.isFinite(value) ? value - least : special);
  if (form !== forms.bytes6) {
    const codes = newCodes(form, length);
    for (let i = 0; i < length; i++) codes[i] = codeOf(values[i]);
    return codes;
  }
  // Three numbers of 16 bits each, grouped by place.
  const codes = new Uint16Array(3 * length);
  for (let i = 0; i < length; i++) {
    const code = codeOf(values[i]);
    codes[i] = code % 2 ** 16;
    codes[length + i] = Math.floor(code / 2 ** 16) % 2 ** 16;
    codes[2 * length + i] = Math.floor(code / 2 ** 32);
  }
  return codes;
}

function newCodes(form: number, length: number): Uint8Array | Uint16Array | Uint32Array {
  if (form === forms.bytes1) return new Uint8Array(length);
  return form === forms.bytes2 ? new Uint16Array(length) : new Uint32Array(length);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Reads a column into `values`, whose length is the number of values.
 * @returns the bytes after the column
 * @throws RangeError if there are too few
 */
export function decodeNumbers(bytes: Buffer, values: Numbers): Buffer {
  const { length } = values;
  const form = bytes.readUInt8(0);
  const least = bytes.readDoubleLE(1);
  const special = bytes.readDoubleLE(9);
  if (form >= widths.length) throw new RangeError(`A column has the unknown form ${form}`);
  const end = headBytes + widths[form] * length;
  if (bytes.length < end) throw new RangeError('A column is cut off');
  if (form === forms.equal) values.fill(least);
  else decodeBody(bytes.subarray(headBytes, end), form, { least, special }, values);
  return bytes.subarray(end);
}

function decodeBody(
  body: Buffer,
  form: number,
  { least, special }: { readonly least: number; readonly special: number },
  values: Numbers,
): void {
  const { length } = values;
  // Copied, because numbers of several bytes must be aligned.
  const copy = new Uint8Array(body).buffer;
  const ofSpecial = 2 ** (8 * widths[form]) - 1;
  if (form === forms.bytes8) {
    values.set(new Float64Array(copy));
  } else if (form === forms.bytes6) {
    const codes = new Uint16Array(copy);
    for (let i = 0; i < length; i++) {
      const code = codes[i] + codes[length + i] * 2 ** 16 + codes[2 * length + i] * 2 ** 32;
      values[i] = code === ofSpecial ? special : least + code;
    }
  } else {
    const Codes = form === forms.bytes1 ? Uint8Array : form === forms.bytes2 ? Uint16Array : Uint32Array;
    const codes = new Codes(copy);
    for (let i = 0; i < length; i++) values[i] = codes[i] === ofSpecial ? special : least + codes[i];
  }
}
