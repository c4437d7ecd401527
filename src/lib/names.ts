const spaces = /\s+/g;

/** The name in lower case, without accents and outer spaces. */
export function foldName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim();
}

/** The key by which names of entities are compared: folded, with single spaces. */
export function nameKey(name: string): string {
  return foldName(name).replace(spaces, ' ');
}

/** Terms of an index and names of settings and tools have at most 64 UTF-16 units. */
const lengthMax = 80;
const rows = [new Uint8Array(lengthMax + 1), new Uint8Array(lengthMax + 1), new Uint8Array(lengthMax + 1)];

interface Step {
  readonly i: number;
  readonly twoBack: Uint8Array;
  readonly back: Uint8Array;
  readonly row: Uint8Array;
}

/** Fills the row of the first `i` units of `a`. @returns its minimum */
function fillRow(a: string, b: string, { i, twoBack, back, row }: Step): number {
  const unit = a.charCodeAt(i - 1);
  const before = i > 1 ? a.charCodeAt(i - 2) : -1;
  let best = i;
  row[0] = i;
  for (let j = 1; j <= b.length; j++) {
    const other = b.charCodeAt(j - 1);
    let least = back[j - 1] + (unit === other ? 0 : 1);
    if (back[j] + 1 < least) least = back[j] + 1;
    if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
    const swapped = j > 1 && before === other && unit === b.charCodeAt(j - 2);
    if (swapped && twoBack[j - 2] + 1 < least) least = twoBack[j - 2] + 1;
    row[j] = least;
    if (least < best) best = least;
  }
  return best;
}

/**
 * Minimum number of insertions, deletions, replacements and swaps of neighbours
 * that turn `a` into `b` (optimal string alignment), in UTF-16 units.
 * @returns `max + 1` for any distance above `max`, and for words of more than 80 units
 */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max || Math.max(a.length, b.length) > lengthMax) return max + 1;
  let [twoBack, back, row] = rows;
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    [twoBack, back, row] = [back, row, twoBack];
    if (fillRow(a, b, { i, twoBack, back, row }) > max) return max + 1;
  }
  return Math.min(row[b.length], max + 1);
}

/**
 * `editDistance(a, b, 1) <= 1` in one pass: compares the parts
 * between the common beginning and the common end.
 */
export function isWithinOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const [leftA, leftB] = [endA - from, endB - from];
  if (leftA <= 1 && leftB <= 1) return true;
  return leftA === 2 && leftB === 2 && a[from] === b[from + 1] && a[from + 1] === b[from];
}

const farthest = 3;

/**
 * The known name that is closest to `name`, if at most 3 of its characters and at most half of them differ.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((text) => ({ text, distance: editDistance(name, text, farthest) }))
    .filter(({ distance }) => distance <= farthest && 2 * distance <= name.length)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.text;
}
