/** The bytes from `start` to `end` of a page, without `end`. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

/** Format of all pages, stated in the first: https://sqlite.org/fileformat2.html#the_database_header */
export interface PageFormat {
  readonly pageBytes: number;
  /** Size of the page without the bytes reserved at its end. */
  readonly usableBytes: number;
}

/** Bytes of the first page that state the format. */
export const headerBytes = 100;
/** Page types: interior and leaf, of an index and of a table. */
const interiorTypes: readonly number[] = [2, 5];
const leafTypes: readonly number[] = [10, 13];

/** @throws Error for a file with kinds of pages that memoryd's stores do not have */
export function readPageFormat(header: Buffer): PageFormat {
  const stated = header.readUInt16BE(16);
  const pageBytes = stated === 1 ? 65_536 : stated;
  // Pages of an auto-vacuum map could be mistaken for b-tree pages; no store of memoryd has them.
  if (header.readUInt32BE(52) !== 0) {
    throw new Error('The store was set to auto_vacuum: set it to NONE and run VACUUM.');
  }
  return { pageBytes, usableBytes: pageBytes - header[20] };
}

/**
 * The unused space of a b-tree page between its cell pointers and its cells:
 * https://sqlite.org/fileformat2.html#b_tree_pages. Undefined for other pages: they begin with the
 * number of another page or with zeros, and a number below 2^25 (a file of 137 GB) is no page type.
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

/** Whether all cells of the page are behind its gap, as in every b-tree page. */
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
