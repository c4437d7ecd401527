import { ApiFailure, ask, askText } from '../api/client.ts';
import { words } from '../words/words.ts';
import { sha256 } from './sha256.ts';
import type { Item, Refusal, Statement } from './statements.ts';

/** Records of one request, and UTF-16 units of their JSON unless the first alone has more. */
const groupMax = { records: 200, units: 800_000 };

/** An item, and what became of it. */
export interface Outcome {
  readonly item: Item;
  readonly result: Result | { readonly refusal: Refusal };
}

/** Of one memory of a bulk create. */
interface Result {
  readonly status: number;
  readonly updated?: boolean;
  readonly keptEdit?: boolean;
  readonly conversationId?: string;
  readonly code?: string;
  readonly error?: string;
  readonly ignored?: readonly string[];
}

interface Sendable {
  readonly item: Item;
  readonly statement: Statement;
  readonly json: string;
}

/** No conversation has this id: a create with it finds what exists by its external id, and stores nothing. */
const noConversation = 'conv_none';

/** As many items as one request takes. */
export async function* groupsOf(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let group: Item[] = [];
  let units = 0;
  for await (const item of items) {
    const own = 'refusal' in item.content ? 0 : JSON.stringify(item.content.body).length;
    if (group.length === groupMax.records || (group.length > 0 && units + own > groupMax.units)) {
      yield group;
      group = [];
      units = 0;
    }
    group.push(item);
    units += own;
  }
  if (group.length > 0) yield group;
}

/** Stores the items of one file, in their conversations. */
export class Sender {
  readonly #importId: string;
  readonly #begunAt = Date.now();
  /** Ids by title; the titles of a file are as many as its conversations. */
  readonly #conversations = new Map<string, string>();
  readonly #refusedTitles = new Map<string, ApiFailure>();

  constructor(importId: string) {
    this.#importId = importId;
  }

  /**
   * @returns of the first items, at least one: a request that ended early has stored those before its end
   * @throws ApiFailure if nothing was stored
   */
  async store(items: readonly Item[]): Promise<readonly Outcome[]> {
    const sendable = items.flatMap((item): Sendable[] => {
      if ('refusal' in item.content) return [];
      return [{ item, statement: item.content, json: '' }];
    });
    await this.#findConversations(sendable);
    const sent = sendable.flatMap(({ item, statement }): Sendable[] =>
      this.#refusedTitles.has(statement.conversation ?? '')
        ? []
        : [{ item, statement, json: JSON.stringify(this.#placed(statement)) }],
    );
    const key = `import-${this.#importId}-${this.#begunAt}-${items[0]?.number}`;
    const results = sent.length === 0 ? [] : await create(sent, this.#importId, key);
    const byItem = new Map(results.map((result, i) => [sent[i]?.item, result]));
    const outcomes: Outcome[] = [];
    for (const item of items) {
      const result = byItem.get(item) ?? this.#refusalOf(item);
      if (result === undefined) break;
      outcomes.push({ item, result });
    }
    return outcomes;
  }

  #refusalOf({ content }: Item): Outcome['result'] | undefined {
    if ('refusal' in content) return content;
    const failure = this.#refusedTitles.get(content.conversation ?? '');
    return failure && { status: failure.status, error: failure.message };
  }

  #placed({ conversation, body }: Statement): object {
    if (conversation === undefined) return body;
    return { ...body, conversationId: this.#conversations.get(conversation) ?? noConversation };
  }

  /**
   * Finds the conversations of new titles by memories that were stored before, and creates those of which nothing is
   * stored. One whose memories are all in the trash is not created.
   */
  async #findConversations(sendable: readonly Sendable[]): Promise<void> {
    const isNew = (title: string | undefined): title is string =>
      title !== undefined && !this.#conversations.has(title) && !this.#refusedTitles.has(title);
    const unknown = sendable
      .filter(({ statement: { conversation } }) => isNew(conversation))
      .map((one) => ({ ...one, json: JSON.stringify(this.#placed(one.statement)) }));
    if (unknown.length === 0) return;
    const created = new Map<string, Statement>();
    const results = await create(unknown);
    if (results.length < unknown.length) throw new ApiFailure(0, { error: words().unreachable });
    for (const [i, { status, conversationId, code }] of results.entries()) {
      const { statement } = unknown[i] as Sendable;
      const title = statement.conversation ?? '';
      if (status === 200 && conversationId !== undefined) this.#conversations.set(title, conversationId);
      else if (code === 'CONVERSATION_NOT_FOUND' && !created.has(title)) created.set(title, statement);
    }
    for (const [title, statement] of created)
      if (isNew(title)) await this.#createConversation(title, statement);
  }

  async #createConversation(title: string, { body }: Statement): Promise<void> {
    const idempotencyKey = `import-${sha256(JSON.stringify(['conversation', title, body]))}`;
    try {
      const request = {
        method: 'POST',
        path: '/api/conversations',
        body: { title },
        idempotencyKey,
      } as const;
      const made = await ask<{ data: { id: string } }>(request);
      this.#conversations.set(title, made.body.data.id);
    } catch (error) {
      if (!(error instanceof ApiFailure && error.status === 422)) throw error;
      this.#refusedTitles.set(title, error);
    }
  }
}

/** @throws ApiFailure if the request ended before the first result */
async function create(
  sent: readonly Sendable[],
  importId?: string,
  idempotencyKey?: string,
): Promise<readonly Result[]> {
  const { body } = await askText({
    method: 'POST',
    path: '/api/memories/bulk',
    query: { importId },
    lines: sent.map(({ json }) => json).join('\n'),
    idempotencyKey,
  });
  const results: Result[] = [];
  for (const text of body.split('\n').filter((line) => line !== '')) {
    const result = JSON.parse(text) as Result & { readonly line?: number };
    if (result.line !== undefined) results.push(result);
    else if (results.length === 0) throw new ApiFailure(result.status, result);
  }
  if (results.length === 0) throw new ApiFailure(0, { error: words().unreachable });
  return results;
}
