import { MemorydError } from './errors.js';
import { Operations } from './generated/operations.js';
import type * as types from './generated/types.js';
import type { CallOptions } from './transport.js';

export type Message = Readonly<Record<string, unknown>>;
export type NewMemory = types.CreateMemoryParams;
export type SearchOptions = Omit<types.SearchMemoriesParams, 'query'>;
export type ListOptions = Omit<types.ListMemoriesParams, 'metadata' | 'cursor'> & {
  readonly metadata?: Readonly<Record<string, unknown>>;
};

const pageSize = 100;

/**
 * A client of one user, whose key it has. Short names for daily calls, each with the record itself as its result; every
 * operation of the service is a method, too, under its name in docs/openapi.json (`listFacts`, `mergeTopics` …).
 */
export class Client extends Operations {
  // Memories

  /** Stores a memory. With an `externalId` that one has already, that one is returned unchanged. */
  async add(content: string, fields: Omit<NewMemory, 'content'> = {}, options: CallOptions = {}) {
    return (await this.createMemory({ ...fields, content }, options)).data;
  }

  /** Up to 1,000 memories; `data` says what became of each. */
  addMany(memories: readonly NewMemory[], options: CallOptions = {}) {
    return this.bulkCreateMemories({ memories } as never, options);
  }

  /**
   * A chat in the form of OpenAI or Anthropic becomes turns of a conversation.
   * @param fields `thread` is what you call the conversation: the whole chat may be sent again, and is stored once
   */
  addMessages(
    messages: readonly Message[],
    {
      thread,
      ...fields
    }: Omit<types.CreateMemoriesFromMessagesParams, 'messages' | 'externalId'> & {
      readonly thread?: string;
    } = {},
    options: CallOptions = {},
  ) {
    return this.createMemoriesFromMessages({ ...fields, messages, externalId: thread }, options);
  }

  /** The best memories first, 10 by default. `searchMemories` returns `meta` as well. */
  async search(query: string, fields: SearchOptions = {}, options: CallOptions = {}) {
    return (await this.searchMemories({ limit: 10, ...fields, query }, options)).data;
  }

  /** @throws MemorydError 404 */
  async get(id: string) {
    return (await this.getMemoryById(id)).data;
  }

  /** The memory that another system calls so. */
  async find(externalId: string): Promise<types.Memory | undefined> {
    return (await this.listMemories({ externalId, limit: 1 })).data[0];
  }

  /** All memories, newest first, page by page. */
  async *memories({ limit = Number.POSITIVE_INFINITY, metadata, ...filters }: ListOptions = {}) {
    let left = limit;
    let cursor: string | undefined;
    while (left > 0) {
      const page = await this.listMemories({
        ...filters,
        metadata: metadata && JSON.stringify(metadata),
        limit: Math.min(left, pageSize),
        cursor,
      });
      yield* page.data;
      left -= page.data.length;
      cursor = page.pagination.nextCursor;
      if (cursor === undefined) return;
    }
  }

  /** A new version; the earlier ones stay readable. @throws MemorydError 404, 412 */
  async update(id: string, fields: types.UpdateMemoryParams, options: CallOptions = {}) {
    return (await this.updateMemory(id, fields, options)).data;
  }

  /** To the trash. @throws MemorydError 404 */
  delete(id: string): Promise<void> {
    return this.deleteMemory(id);
  }

  /** Newest first. */
  async versions(id: string) {
    return (await this.getMemoryVersions(id)).data;
  }

  async relate(source: string, target: string, type: types.RelationshipType) {
    return (await this.createMemoryRelationship(source, { targetMemoryId: target, type })).data;
  }

  // Named memories: one text under a name, with its versions.

  async getNamed(name: string): Promise<types.DetailedMemory | undefined> {
    return (await orUndefined(this.getMemoryByName(name)))?.data;
  }

  /** Makes it, or a new version of it. */
  async putNamed(name: string, content: string, fields: Omit<types.UpdateNamedMemoryParams, 'content'> = {}) {
    const { metadata } = fields;
    const changed = await orUndefined(this.updateNamedMemory(name, { ...fields, content }));
    return changed?.data ?? this.add(content, { name, metadata });
  }

  async appendNamed(name: string, block: string) {
    return (await this.appendNamedMemory(name, { block })).data;
  }

  /** Newest first. */
  async namedHistory(name: string) {
    return (await this.getNamedMemoryHistory(name)).versions;
  }

  // Conversations

  /** The conversation that you call so, made if it is not there. */
  async conversation(thread: string, title: string = thread) {
    return (await this.createConversation({ title, externalId: thread })).data;
  }

  /** Oldest first. */
  async turns(conversationId: string) {
    return (await this.getConversationTimeline(conversationId)).data;
  }

  // What is derived, and briefing

  async facts(query: string, limit = 10) {
    return (await this.searchFacts({ query, limit })).data;
  }

  /** Sentences of memories on a matter, within a budget. */
  digest(query: string, fields: Omit<types.CreateMemoryDigestParams, 'query'> = {}) {
    return this.createMemoryDigest({ ...fields, query });
  }

  /** What to know before a piece of work. */
  context(task: string, fields: Omit<types.BuildContextParams, 'context'> = {}) {
    return this.buildContext({ ...fields, context: task });
  }

  // Trash, changes, the service

  /** Newest first. */
  async trash(limit = 100) {
    return (await this.listTrash({ limit })).data;
  }

  /** Takes an entry of `trash` back. */
  restore(entryId: string) {
    return this.restoreTrashEntry(entryId);
  }

  /** Changes as they come, until the caller stops or the service ends the stream; then go on from the last `cursor`. */
  async *watch(since = 'now', options: CallOptions = {}): AsyncGenerator<types.Change> {
    const call = {
      method: 'GET',
      path: '/api/events',
      answer: 'text',
      params: { since },
      query: ['since'],
    } as const;
    const { body } = await this.send(call, options, 0);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      for (const said of events.map(fieldsOf))
        if (said.event === 'change') yield { cursor: said.id, ...JSON.parse(said.data ?? '{}') };
    }
  }

  async me() {
    return (await this.getCurrentUser()).data;
  }
}

/** The lines of a server-sent event. */
const fieldsOf = (event: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    event.split('\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1).trim()]),
  );

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof MemorydError && error.isNotFound) return undefined;
    throw error;
  }
}
