/** The bytes `start` to `end` of a page, `end` not included. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

/** What the first page of a file says of all: https://sqlite.org/fileformat2.html#the_database_header */
export interface PageFormat {
  readonly pageBytes: number;
  /** The page without what is reserved at its end. */
  readonly usableBytes: number;
}

/** Enough of the first page to read its format. */
export const headerBytes = 100;
/** Page types: interior and leaf, of an index and of a table. */
const interiorTypes: readonly number[] = [2, 5];
const leafTypes: readonly number[] = [10, 13];

/** @throws Error for a file whose pages are of other kinds than memoryd's stores have */
export function readPageFormat(header: Buffer): PageFormat {
  const stated = header.readUInt16BE(16);
  const pageBytes = stated === 1 ? 65_536 : stated;
  // Pages of an auto-vacuum map could be taken for b-tree pages; no store of memoryd has them.
  if (header.readUInt32BE(52) !== 0) {
    throw new Error('The store was set to auto_vacuum: set it to NONE and run VACUUM.');
  }
  return { pageBytes, usableBytes: pageBytes - header[20] };
}

/**
 * The room of a b-tree page between its cell pointers and its cells, which nothing points into:
 * https://sqlite.org/fileformat2.html#b_tree_pages. Undefined for pages of another kind: those begin with the number
 * of another page or with zeros, and a number below 2^25 (a file of 137 GB) is no page type.
 */
export function gapOf(page: Buffer, number: number, { usableBytes }: PageFormat): Gap | undefined {
  const at = number === 1 ? headerBytes : 0;
  const type = page[at];
  const isInterior = interiorTypes.includes(type);
  if (!isInterior && !leafTypes.includes(type)) return undefined;
  const start = at + (isInterior ? 12 : 8) + 2 * page.readUInt16BE(at + 3);
  const end = page.readUInt16BE(at + 5) || 65_536;
  return start < end && end <= usableBytes ? { start, end } : undefined;
}

/** Whether all cells of the page lie behind its gap, as they do in every page that is a b-tree page. */
export function isWholePage(page: Buffer, number: number, { start, end }: Gap, format: PageFormat): boolean {
  const at = number === 1 ? headerBytes : 0;
  const pointersAt = at + (interiorTypes.includes(page[at]) ? 12 : 8);
  for (let pointer = pointersAt; pointer < start; pointer += 2) {
    const cell = page.readUInt16BE(pointer);
    if (cell < end || cell >= format.usableBytes) return false;
  }
  const firstFree = page.readUInt16BE(at + 1);
  return firstFree === 0 || (firstFree >= end && firstFree < format.usableBytes);
}

const zeros = Buffer.alloc(65_536);

export function hasText(page: Buffer, { start, end }: Gap): boolean {
  return page.compare(zeros, 0, end - start, start, end) !== 0;
}
