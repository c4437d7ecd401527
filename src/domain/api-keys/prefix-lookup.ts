import type { KeyStore } from './key-store.ts';

const lookEveryMs = 50;
const prefixesAtOnce = 500;

interface Look {
  readonly prefixes: Set<string>;
  readonly known: Promise<ReadonlySet<string>>;
}

/** Asks the store which public parts of keys exist, for all who ask within 50 ms at once: many callers cost one look. */
export class PrefixLookup {
  readonly #store: Pick<KeyStore, 'knownPrefixes'>;
  #next: Look | undefined;

  constructor(store: Pick<KeyStore, 'knownPrefixes'>) {
    this.#store = store;
  }

  /** Whether some user has, or had, a key with this public part. */
  async isKnown(prefix: string): Promise<boolean> {
    if (!this.#next || this.#next.prefixes.size >= prefixesAtOnce) this.#next = this.#look();
    this.#next.prefixes.add(prefix);
    return (await this.#next.known).has(prefix);
  }

  #look(): Look {
    const prefixes = new Set<string>();
    const known = new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs)).then(async () => {
      if (this.#next?.prefixes === prefixes) this.#next = undefined;
      return new Set(await this.#store.knownPrefixes([...prefixes]));
    });
    return { prefixes, known };
  }
}
