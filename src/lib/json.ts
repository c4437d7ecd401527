/**
 * Maximum levels of objects and lists in JSON from outside,
 * counting the outermost: recursive code may descend each.
 */
export const jsonDepthMax = 64;

export const jsonDepthRule = `must not be nested deeper than ${jsonDepthMax} levels`;

const [quote, backslash, list, object, listEnd, objectEnd] = [...'"\\[{]}'].map((sign) => sign.charCodeAt(0));

/**
 * Whether a text has more levels than allowed. Runs in linear time before parsing; the text need not be JSON.
 */
export function isTooDeep(json: string): boolean {
  if (json.length <= jsonDepthMax) return false;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const sign = json.charCodeAt(i);
    if (sign === quote) {
      i = endOfString(json, i);
      if (i === -1) return false;
    } else if (sign === object || sign === list) {
      if (++depth > jsonDepthMax) return true;
    } else if (sign === objectEnd || sign === listEnd) depth--;
  }
  return false;
}

/** Index of the quote that ends the string begun at `start`, or -1. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, place: number): boolean {
  let before = place - 1;
  while (json.charCodeAt(before) === backslash) before--;
  return (place - before) % 2 === 0;
}

/** Parses JSON from outside. @throws SyntaxError if it is invalid or nested too deeply */
export function parseJson(json: string): unknown {
  if (isTooDeep(json)) throw new SyntaxError(`it ${jsonDepthRule}`);
  return JSON.parse(json);
}

/** Whether a parsed value has more levels than allowed. */
export function isNestedTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= jsonDepthMax || Object.values(value).some((item) => isNestedTooDeep(item, depth + 1));
}

/** An object of JSON: neither a list nor null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
