import { createHash, hash } from 'node:crypto';
import { ApiClient, describe, RequestAbandonedError, type ServiceAccess } from '../client/api-client.ts';
import { type Counts, type Progress, startProgress } from './progress.ts';
import type { Item, Source } from './sources.ts';
import { ExternalIds, type Statement } from './statement.ts';

interface ImportPlan {
  readonly sources: readonly Source[];
  /** Name of the import in lists. */
  readonly name: string;
  readonly service: ServiceAccess;
  /** Ends the import early, in good order. */
  readonly signal: AbortSignal;
}

interface ImportResult extends Counts {
  /** Undefined if there was nothing to send. */
  readonly importId: string | undefined;
  /** Reason why it stopped before the end of the file; another run continues. */
  readonly stopped: string | undefined;
}

const firstPatienceMs = 3000;
/** Records of one request, and bytes of their JSON unless the first alone has more. */
const batchMax = { records: 200, bytes: 800_000 };
/** Refusals whose reasons a report lists. */
const refusalsKeptMax = 1000;

/** An item with the id by which a later import knows it. */
interface Sendable {
  readonly item: Item;
  readonly statement: Statement;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Result {
  readonly status: number;
  readonly conversationId?: string;
  readonly code?: string;
  readonly error?: string;
  readonly ignored?: readonly string[];
}

export const newCounts = (): Counts => ({
  imported: 0,
  refused: 0,
  skipped: 0,
  deletedHere: 0,
  ignored: new Map(),
  refusals: [],
});

export function noteRefusal(counts: Counts, label: string, reason: string): void {
  counts.refused++;
  if (counts.refusals.length < refusalsKeptMax) counts.refusals.push({ at: label, reason });
}

/**
 * Imports files through the HTTP API. A later run knows stored records by their external ids.
 * @throws Error if it cannot begin: wrong server or key
 */
export async function runImport(plan: ImportPlan): Promise<ImportResult> {
  const api = new ApiClient(plan.service, plan.signal);
  await assertService(api, plan.service.url);
  const counts = newCounts();
  const progress = startProgress(plan.sources.reduce((sum, { size }) => sum + size, 0));
  const run = new Run(api, { counts, progress, name: plan.name, format: plan.sources[0]?.format ?? '' });
  let stopped: string | undefined;
  try {
    for (const source of plan.sources) await run.send(source);
    await run.flush();
  } catch (error) {
    if (!(error instanceof RequestAbandonedError)) throw error;
    stopped = error.message;
  } finally {
    progress.stop();
  }
  return { ...counts, importId: run.importId, stopped };
}

async function assertService(api: ApiClient, url: string): Promise<void> {
  const response = await api.send({ path: '/api/users/me', patienceMs: firstPatienceMs });
  const id = (response.body.data as { id?: unknown } | undefined)?.id;
  if (response.status !== 200 || typeof id !== 'string')
    throw new Error(`${url} does not answer as memoryd does: ${describe(response)}`);
}

/** Names are unbounded if they are data; only the first are counted separately. */
const ignoredNamesMax = 1000;

function countIgnored({ ignored }: Counts, names: readonly string[]): void {
  for (const name of names) {
    const counted = ignored.size < ignoredNamesMax || ignored.has(name) ? name : 'others';
    ignored.set(counted, (ignored.get(counted) ?? 0) + 1);
  }
}

/** No conversation has this id: a create with it finds what exists by its external id, and stores nothing. */
const noConversation = 'conv_none';

/** Statuses of a body that is too large, cannot be read, or breaks a rule. */
const refusedWhole: ReadonlySet<number> = new Set([400, 413, 422]);

interface Sending {
  readonly importId?: string;
  /** Distinguishes the request from others, for its Idempotency-Key. */
  readonly key?: readonly unknown[];
}

class Run {
  readonly #api: ApiClient;
  readonly #counts: Counts;
  readonly #progress: Progress;
  readonly #named: { readonly source: string; readonly format: string };
  readonly #ids = new ExternalIds((text) => hash('sha256', text, 'base64url'));
  /** Conversation ids by title. */
  readonly #conversations = new Map<string, string>();
  #batch: Sendable[] = [];
  #bytes = 0;
  #batches = 0;
  #doneSize = 0;
  importId: string | undefined;

  constructor(
    api: ApiClient,
    run: { counts: Counts; progress: Progress; readonly name: string; readonly format: string },
  ) {
    this.#api = api;
    this.#counts = run.counts;
    this.#progress = run.progress;
    this.#named = { source: run.name, format: run.format };
  }

  async send(source: Source): Promise<void> {
    for await (const item of source.items()) {
      if ('refusal' in item.content) this.#refuse(item, item.content.refusal);
      else await this.#add(item, item.content);
    }
  }

  async #add(item: Item, statement: Statement): Promise<void> {
    const body = this.#ids.withId(statement);
    const bytes = Buffer.byteLength(JSON.stringify(body));
    if (this.#batch.length === batchMax.records || this.#bytes + bytes > batchMax.bytes) await this.flush();
    this.#batch.push({ item, statement, body });
    this.#bytes += bytes;
  }

  #finish({ size }: Item): void {
    this.#doneSize += size;
    this.#progress.update(this.#doneSize, this.#counts);
  }

  #refuse(item: Item, reason: string): void {
    noteRefusal(this.#counts, item.label, reason);
    this.#progress.note(`${item.label} refused: ${reason}`);
    this.#finish(item);
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    if (batch.length === 0) return;
    const refused = await this.#findConversations(batch);
    const sent = batch.filter(({ statement: { conversation } }) => !refused.has(conversation ?? ''));
    const importId = await this.#begin();
    const memories = sent.map((one) => this.#placed(one));
    const key = [importId, this.#batches++];
    const results = sent.length === 0 ? [] : await this.#create(memories, { importId, key });
    for (const { item, statement } of batch) {
      const reason = refused.get(statement.conversation ?? '');
      if (reason !== undefined) this.#refuse(item, reason);
    }
    for (const [i, result] of results.entries()) this.#count(sent[i].item, result);
  }

  #count(item: Item, { status, code, error = '', ignored = [] }: Result): void {
    if (status === 201) {
      this.#counts.imported++;
      countIgnored(this.#counts, ignored);
    } else if (status === 200) this.#counts.skipped++;
    else if (code === 'MEMORY_IN_TRASH') this.#counts.deletedHere++;
    else {
      this.#refuse(item, error);
      return;
    }
    this.#finish(item);
  }

  #placed({ statement: { conversation }, body }: Sendable): object {
    if (conversation === undefined) return body;
    return { ...body, conversationId: this.#conversations.get(conversation) ?? noConversation };
  }

  async #begin(): Promise<string> {
    if (this.importId !== undefined) return this.importId;
    const response = await this.#api.send({ path: '/api/imports', body: this.#named });
    const { id } = (response.body.data ?? {}) as { id?: string };
    if (response.status !== 201 || id === undefined) throw new RequestAbandonedError(describe(response));
    this.importId = id;
    return id;
  }

  /** Halves a request that is refused as a whole, until the one record that is the reason is alone. */
  async #create(memories: readonly object[], { importId, key }: Sending): Promise<readonly Result[]> {
    const path = `/api/memories/bulk${importId === undefined ? '' : `?importId=${importId}`}`;
    const idempotencyKey = key && keyOf(key);
    const response = await this.#api.send({ path, body: { memories }, idempotencyKey });
    const { status, body } = response;
    if (status === 200) return body.data as readonly Result[];
    if (!refusedWhole.has(status)) throw new RequestAbandonedError(describe(response));
    if (memories.length === 1) return [{ status, error: describe(response) }];
    const middle = memories.length >> 1;
    const first = await this.#create(memories.slice(0, middle), { importId, key: key && [...key, 0] });
    const second = await this.#create(memories.slice(middle), { importId, key: key && [...key, 1] });
    return [...first, ...second];
  }

  /**
   * Finds the conversations of new titles by memories that an earlier import stored, and creates those
   * of which nothing is stored. One whose memories are all in the trash is not created.
   * @returns reasons by titles that are refused
   */
  async #findConversations(batch: readonly Sendable[]): Promise<ReadonlyMap<string, string>> {
    const refused = new Map<string, string>();
    const unknown = batch.filter(
      ({ statement: { conversation } }) =>
        conversation !== undefined && !this.#conversations.has(conversation),
    );
    if (unknown.length === 0) return refused;
    const results = await this.#create(
      unknown.map((one) => this.#placed(one)),
      {},
    );
    const created = new Map<string, Sendable>();
    for (const [i, { status, conversationId, code }] of results.entries()) {
      const title = unknown[i].statement.conversation ?? '';
      if (status === 200 && conversationId !== undefined) this.#conversations.set(title, conversationId);
      else if (code === 'CONVERSATION_NOT_FOUND' && !created.has(title)) created.set(title, unknown[i]);
    }
    for (const [title, first] of created) {
      if (this.#conversations.has(title)) continue;
      const reason = await this.#createConversation(title, first);
      if (reason !== undefined) refused.set(title, reason);
    }
    return refused;
  }

  /** @returns the reason of a refusal */
  async #createConversation(title: string, { body }: Sendable): Promise<string | undefined> {
    const idempotencyKey = keyOf(['conversation', title, body]);
    const response = await this.#api.send({ path: '/api/conversations', body: { title }, idempotencyKey });
    const id = (response.body.data as { id?: unknown } | undefined)?.id;
    if (response.status !== 201 || typeof id !== 'string') return `its conversation: ${describe(response)}`;
    this.#conversations.set(title, id);
    return undefined;
  }
}

function keyOf(parts: readonly unknown[]): string {
  return `import-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
