import type { Client } from './client.js';
import { MemorydError } from './errors.js';
import type { Memory, SearchResult } from './generated/types.js';

/** A text under a key of any form, such as a path. */
export interface Document {
  readonly key: string;
  readonly text: string;
  /** Of its memory. */
  readonly id: string;
  readonly within: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Of a search. */
  readonly score?: number;
}

export interface FindOptions {
  readonly query?: string;
  readonly within?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly limit?: number;
}

/** A memory has at least one character. */
const emptyText = '(empty)';

/** Texts under keys: named memories, so that each has its versions. A space has 1 to 20 small letters and digits. */
export class Documents {
  readonly client: Client;
  readonly space: string;

  constructor(client: Client, space: string) {
    this.client = client;
    this.space = space;
  }

  async #name(key: string): Promise<string> {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
    const hex = [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${this.space}-${hex.slice(0, 40)}`;
  }

  async read(key: string): Promise<Document | undefined> {
    try {
      return documentOf((await this.client.getMemoryByName(await this.#name(key))).data);
    } catch (error) {
      if (!(error instanceof MemorydError && error.isNotFound)) throw error;
      // Another memory was found to say something newer: for a document that changes nothing.
      const { headId } = (error.details ?? {}) as { headId?: string };
      return headId === undefined ? undefined : documentOf(await this.client.get(headId));
    }
  }

  /**
   * Makes it or a new version of it.
   * @param fields `within` has labels, such as the folders above it, by which `find` finds it; `data` values to filter by
   */
  async write(
    key: string,
    text: string,
    fields: Pick<Partial<Document>, 'within' | 'data'> = {},
  ): Promise<void> {
    const { within = [], data = {} } = fields;
    const metadata = { space: this.space, key, within, data, ...(text === '' && { empty: true }) };
    const content = text === '' ? emptyText : text;
    const known = await this.read(key);
    if (known) return void (await this.client.update(known.id, { content, metadata }));
    try {
      await this.client.add(content, { name: await this.#name(key), metadata });
    } catch (error) {
      // Another writer was first.
      const other = error instanceof MemorydError && error.status === 409 ? await this.read(key) : undefined;
      if (!other) throw error;
      await this.client.update(other.id, { content, metadata });
    }
  }

  /** To the trash. @returns whether it was there */
  async delete(key: string): Promise<boolean> {
    const known = await this.read(key);
    if (known) await this.client.delete(known.id);
    return known !== undefined;
  }

  /** With a query the best first, 100 by default and at most 1,000; else all, the newest first. */
  async *find({ query, within, data = {}, limit }: FindOptions = {}): AsyncGenerator<Document> {
    const given = Object.fromEntries(Object.entries(data).map(([name, value]) => [`data.${name}`, value]));
    const metadata = { space: this.space, ...(within !== undefined && { within }), ...given };
    if (query === undefined) {
      for await (const memory of this.client.memories({ metadata, limit })) yield documentOf(memory);
      return;
    }
    for (const hit of await this.client.search(query, { metadata, limit: limit ?? 100 }))
      yield documentOf(hit);
  }
}

function documentOf(memory: Memory | SearchResult): Document {
  const { id, content, createdAt = 0, updatedAt = createdAt } = memory;
  const { key, within, data, empty } = (memory.metadata ?? {}) as Partial<Document> & { empty?: true };
  return {
    key: key ?? '',
    text: empty ? '' : content,
    id,
    within: within ?? [],
    data: data ?? {},
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...('score' in memory && { score: memory.score }),
  };
}
