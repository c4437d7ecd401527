import type { Client } from './client.js';
import { type Document, Documents } from './documents.js';
import { type Condition, fits, matches, scalars } from './filters.js';

type Value = Record<string, unknown>;

/** A JSON object under a key in a namespace, as stores of agents have it. */
export interface StoredItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Value;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly score?: number;
}

interface Wanted {
  readonly filter?: Value;
  readonly query?: string;
  readonly limit?: number;
  readonly offset?: number;
}

const foundMax = 1000;
const keyOf = (namespace: readonly string[], key: string) => JSON.stringify([...namespace, key]);

/** Items as documents: the value is the text, and the namespaces above are the labels by which it is found. */
export class Items {
  readonly #documents: Documents;

  constructor(client: Client, space: string) {
    this.#documents = new Documents(client, space);
  }

  async get(namespace: readonly string[], key: string): Promise<StoredItem | null> {
    const found = await this.#documents.read(keyOf(namespace, key));
    return found ? itemOf(found) : null;
  }

  /** @param value null deletes it */
  async put(namespace: readonly string[], key: string, value: Value | null): Promise<void> {
    if (value === null) return void (await this.#documents.delete(keyOf(namespace, key)));
    const within = namespace.map((_, i) => namespace.slice(0, i + 1).join('.'));
    const fields = { within, data: scalars(value) };
    await this.#documents.write(keyOf(namespace, key), JSON.stringify(value), fields);
  }

  /** Below a namespace; with a query the filter applies to the best 1,000. */
  async search(prefix: readonly string[], wanted: Wanted): Promise<StoredItem[]> {
    const { filter, query, limit = 10, offset = 0 } = wanted;
    const within = prefix.length === 0 ? undefined : prefix.join('.');
    const most = query ? foundMax : undefined;
    const found = this.#documents.find({
      query: query || undefined,
      within,
      data: scalars(filter),
      limit: most,
    });
    const items: StoredItem[] = [];
    for await (const document of found) {
      const item = itemOf(document);
      const isBelow = prefix.every((label, i) => item.namespace[i] === label);
      if (isBelow && matches(item.value, filter)) items.push(item);
      if (items.length >= offset + limit) break;
    }
    return items.slice(offset);
  }

  /** Sorted; cut after `depth` labels. */
  async namespaces(conditions: readonly Condition[] = [], depth?: number): Promise<string[][]> {
    const known = new Map<string, string[]>();
    for await (const document of this.#documents.find()) {
      const { namespace } = itemOf(document);
      const cut = namespace.slice(0, depth);
      if (conditions.every((condition) => fits(condition, namespace))) known.set(JSON.stringify(cut), cut);
    }
    return [...known.values()].sort((a, b) => (a.join('.') < b.join('.') ? -1 : 1));
  }
}

function itemOf({ key: path, text, createdAt, updatedAt, score }: Document): StoredItem {
  const labels = JSON.parse(path) as string[];
  const key = labels.pop() ?? '';
  const item = { namespace: labels, key, value: JSON.parse(text) as Value, createdAt, updatedAt };
  return score === undefined ? item : { ...item, score };
}
