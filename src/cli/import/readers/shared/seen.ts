const rememberedMax = 2_000_000;

/** Ids that were seen: the first two million, by hashes of 53 bits. */
export class Seen {
  readonly #hashes = new Set<number>();

  /** Whether the id is seen for the first time; beyond the bound, each is. */
  isNew(id: string): boolean {
    const hash = hashOf(id);
    if (this.#hashes.has(hash)) return false;
    if (this.#hashes.size < rememberedMax) this.#hashes.add(hash);
    return true;
  }

  has(id: string): boolean {
    return this.#hashes.has(hashOf(id));
  }
}

/** 53 bits, which take eight bytes; an id takes a hundred. */
export function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (low & 2097151) + (high >>> 0);
}
