import type { KeyStore } from './api-key.ts';

const lookEveryMs = 50;
const prefixesAtOnce = 500;

interface Look {
  readonly prefixes: Set<string>;
  readonly known: Promise<ReadonlySet<string>>;
}

/** Looks up public parts of keys in batches: all calls within 50 ms share one query. */
export class PrefixLookup {
  readonly #store: Pick<KeyStore, 'knownPrefixes'>;
  #next: Look | undefined;

  constructor(store: Pick<KeyStore, 'knownPrefixes'>) {
    this.#store = store;
  }

  /** Whether a key with this public part exists, valid or not. */
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
