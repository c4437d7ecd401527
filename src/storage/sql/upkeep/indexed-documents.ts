import type { Kysely } from 'kysely';
import type { Database } from '../core/schema.ts';

/** Two independent hashes of a posting key. */
interface KeyHash {
  readonly a: number;
  readonly b: number;
}

/** FNV-1a over UTF-16 units, twice, with different starts and primes. */
export function hashKey(key: string): KeyHash {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return { a, b };
}

/** A set of keys, compared without keeping it: engines list keys by key, records give them by document. */
class KeySet {
  #count = 0;
  #a = 0;
  #b = 0;

  add({ a, b }: KeyHash): void {
    this.#count++;
    this.#a = (this.#a + a) | 0;
    this.#b = (this.#b + b) | 0;
  }

  equals(other: KeySet): boolean {
    return this.#count === other.#count && this.#a === other.#a && this.#b === other.#b;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }
}

/** Documents of the keyword index; those with a record are removed one by one. */
export class IndexedDocuments {
  readonly #present = new Set<number>();
  readonly #keys = new Map<number, Map<number, KeySet>>();

  /** Records that the index has this document, with or without keys. */
  addDocument(doc: number): void {
    this.#present.add(doc);
  }

  hasDocument(doc: number): boolean {
    return this.#present.has(doc);
  }

  addKey(userId: number, doc: number, hash: KeyHash): void {
    const docs = this.#keys.get(userId) ?? new Map<number, KeySet>();
    this.#keys.set(userId, docs);
    const keys = docs.get(doc) ?? new KeySet();
    docs.set(doc, keys);
    keys.add(hash);
  }

  /** Removes the document of a record and compares its keys with `keys`. */
  take(userId: number, doc: number, keys: readonly string[]): 'right' | 'wrong' | 'missing' {
    const known = this.#present.delete(doc);
    const indexed = this.#keys.get(userId)?.get(doc) ?? new KeySet();
    this.#keys.get(userId)?.delete(doc);
    const expected = new KeySet();
    for (const key of keys) expected.add(hashKey(key));
    if (known && indexed.equals(expected)) return 'right';
    return indexed.isEmpty ? 'missing' : 'wrong';
  }

  /** Documents without a record. */
  orphans(): { userId: number; doc: number }[] {
    const orphans: { userId: number; doc: number }[] = [];
    for (const [userId, docs] of this.#keys) {
      for (const doc of docs.keys()) {
        orphans.push({ userId, doc });
        this.#present.delete(doc);
      }
    }
    for (const doc of this.#present) orphans.push({ userId: 0, doc });
    return orphans.sort((a, b) => a.doc - b.doc);
  }

  /** Documents with keys that the index does not list as documents: it could not delete them. */
  unlisted(): number[] {
    return [...this.#keys.values()].flatMap((docs) =>
      [...docs.keys()].filter((doc) => !this.#present.has(doc)),
    );
  }
}

/** The store as it stood at one moment. */
export interface StoreSnapshot {
  readonly db: Kysely<Database>;
  /** Damage that the engine itself finds: of the database, and inside the keyword index. */
  damage(): Promise<{ readonly database: string[]; readonly index: string[] }>;
  /** Puts every document of the keyword index and its keys into `indexed`. */
  readDocuments(indexed: IndexedDocuments): Promise<void>;
}
