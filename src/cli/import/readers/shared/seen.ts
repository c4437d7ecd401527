import { hash } from 'node:crypto';

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

/** 53 bits of SHA-256, which take eight bytes; an id takes a hundred. */
export function hashOf(text: string): number {
  const digest = hash('sha256', text, 'buffer');
  return digest.readUIntBE(0, 6) * 32 + (digest[6] >> 3);
}
