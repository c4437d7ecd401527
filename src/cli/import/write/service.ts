import { createHash } from 'node:crypto';
import { idInExternalId } from '../../../domain/shared/external-id.ts';
import {
  type ApiClient,
  type ApiResponse,
  describe,
  RequestAbandonedError,
} from '../../client/api-client.ts';
import type { Fields, StoredMemory } from '../readers/reader.ts';
import { NarrativeWriter } from './narratives.ts';
import type { Outcome, Stored } from './report.ts';

interface BulkResult {
  readonly status: number;
  readonly id?: string;
  readonly code?: string;
  readonly error?: string;
  readonly updated?: boolean;
  readonly keptEdit?: boolean;
  readonly ignored?: readonly string[];
}

interface ListedMemories {
  readonly data?: readonly { readonly externalId?: string; readonly metadata?: Fields }[];
  readonly pagination?: { readonly nextCursor?: string };
}

/** Statuses of a body that is too large, cannot be read, or breaks a rule. */
const refusedWhole: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * The records of an import in the service, through its API alone. Each act can be repeated: records are known by their
 * external ids.
 */
export class ImportService {
  readonly #api: ApiClient;
  readonly #named: { readonly source: string; readonly format: string };
  readonly narratives: NarrativeWriter;
  #batches = 0;
  #begun: Promise<string> | undefined;
  /** Undefined until something is stored. */
  importId: string | undefined;

  constructor(api: ApiClient, named: { readonly source: string; readonly format: string }) {
    this.#api = api;
    this.#named = named;
    this.narratives = new NarrativeWriter(api);
  }

  /** The id of the import, which the first act begins; others that are on their way with it wait for the same one. */
  #begin(): Promise<string> {
    this.#begun ??= this.importId === undefined ? this.#beginImport() : Promise.resolve(this.importId);
    return this.#begun;
  }

  async #beginImport(): Promise<string> {
    const response = await this.#api.send({ path: '/api/imports', body: this.#named });
    const { id } = dataOf(response);
    if (response.status !== 201 || id === undefined) throw new RequestAbandonedError(describe(response));
    this.importId = id;
    return id;
  }

  /** Creates memories, or makes new versions of those whose text is another now; one result each, in their order. */
  async storeMemories(memories: readonly Fields[]): Promise<readonly Stored[]> {
    const importId = await this.#begin();
    const results = await this.#bulk(memories, importId, [importId, this.#batches++]);
    return results.map((result) => {
      const { id, error, ignored } = result;
      return { outcome: outcomeOf(result), id, reason: error, ignored };
    });
  }

  /** Halves a request that is refused as a whole, until the one record that is the reason is alone. */
  async #bulk(
    memories: readonly Fields[],
    importId: string,
    key: readonly unknown[],
  ): Promise<readonly BulkResult[]> {
    const path = `/api/memories/bulk?importId=${importId}`;
    const response = await this.#api.send({ path, body: { memories }, idempotencyKey: keyOf(key) });
    if (response.status === 200) return response.body.data as readonly BulkResult[];
    if (!refusedWhole.has(response.status)) throw new RequestAbandonedError(describe(response));
    if (memories.length === 1) return [{ status: response.status, error: describe(response) }];
    const middle = memories.length >> 1;
    const first = await this.#bulk(memories.slice(0, middle), importId, [...key, 0]);
    return [...first, ...(await this.#bulk(memories.slice(middle), importId, [...key, 1]))];
  }

  /** @param body of `POST /api/conversations` */
  async storeConversation(body: Fields): Promise<Stored> {
    return this.#create(`/api/conversations?importId=${await this.#begin()}`, body);
  }

  /** A fact or artifact. */
  async storePointing(kind: 'fact' | 'artifact', body: Fields): Promise<Stored> {
    return this.#create(`/api/${kind}s?importId=${await this.#begin()}`, body);
  }

  async storeRelationship(from: string, body: Fields): Promise<Stored> {
    return this.#create(`/api/memories/${from}/relationships?importId=${await this.#begin()}`, body);
  }

  /**
   * Makes a named memory, or a version of it if its text in the source is another than at the import before. A memory
   * that was edited in memoryd since then keeps that edit; a deleted one stays deleted.
   */
  async storeNamed(name: string, body: Fields, externalId: string): Promise<Stored> {
    const path = `/api/memories/named/${name}?importId=${await this.#begin()}`;
    const response = await this.#api.send({ method: 'PUT', path, body });
    if (response.status !== 404) return toStored(response, 'changed');
    // Without its name it is known by its first version.
    if ((await this.findMemory(externalId)) !== undefined) return { outcome: 'deletedHere' };
    const [stored] = await this.storeMemories([{ ...body, name, externalId }]);
    return stored;
  }

  /** The id of the memory with this external id; undefined if there is none. */
  async findMemory(externalId: string): Promise<string | undefined> {
    const query = new URLSearchParams({ externalId, limit: '1' });
    const response = await this.#api.send({ path: `/api/memories?${query}` });
    const [found] = (response.body.data ?? []) as readonly { id: string }[];
    const ownId = idInExternalId(externalId);
    if (found !== undefined || ownId === undefined) return found?.id;
    const own = await this.#api.send({ path: `/api/memories/${encodeURIComponent(ownId)}` });
    return dataOf(own).id;
  }

  /** Facts that clients stated of a memory, at most 1,000. */
  async factsOf(memoryId: string): Promise<readonly { readonly id: string; readonly externalId?: string }[]> {
    const query = new URLSearchParams({ memoryId, limit: '1000', includeSuperseded: 'true' });
    const response = await this.#api.send({ path: `/api/facts?${query}` });
    return (response.body.data ?? []) as readonly { id: string; externalId?: string }[];
  }

  async removeFact(id: string): Promise<void> {
    const path = `/api/facts/${id}?importId=${await this.#begin()}`;
    const response = await this.#api.send({ method: 'DELETE', path });
    if (response.status >= 500) throw new RequestAbandonedError(describe(response));
  }

  /** Live memories with this `metadata.source`, a page at a time. @throws RequestAbandonedError */
  async *stored(source: string): AsyncGenerator<StoredMemory> {
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = new URLSearchParams({ 'metadata.source': source, limit: '1000', order: 'asc', cursor });
      if (cursor === '') query.delete('cursor');
      const response = await this.#api.send({ path: `/api/memories?${query}` });
      if (response.status !== 200) throw new RequestAbandonedError(describe(response));
      const { data = [], pagination } = response.body as ListedMemories;
      for (const { externalId, metadata = {} } of data) yield { externalId, metadata };
      cursor = pagination?.nextCursor;
    }
  }

  async #create(path: string, body: Fields): Promise<Stored> {
    const idempotencyKey = keyOf([this.importId, path, body]);
    return toStored(await this.#api.send({ path, body, idempotencyKey }), 'stored');
  }
}

/** @param done the outcome of a 201 */
function toStored(response: ApiResponse, done: Outcome): Stored {
  const { status, body } = response;
  const code = String(body.code ?? '');
  // A watch sends the same again in its one import.
  if (status === 201) return { outcome: response.replayed ? 'unchanged' : done, id: dataOf(response).id };
  if (code === 'RELATIONSHIP_EXISTS') return { outcome: 'unchanged' };
  if (status === 200) {
    const { updated, keptEdit } = (body.meta ?? {}) as Pick<BulkResult, 'updated' | 'keptEdit'>;
    return { outcome: outcomeOf({ status, updated, keptEdit }), id: dataOf(response).id };
  }
  if (status >= 500) throw new RequestAbandonedError(describe(response));
  return { outcome: outcomeOf({ status, code }), reason: describe(response) };
}

function outcomeOf({ status, code, updated, keptEdit }: BulkResult): Outcome {
  if (status === 201) return 'stored';
  if (status === 200 && keptEdit) return 'editedHere';
  if (status === 200) return updated ? 'changed' : 'unchanged';
  return code?.endsWith('_IN_TRASH') || code === 'RELATIONSHIP_DELETED' ? 'deletedHere' : 'refused';
}

function dataOf({ body }: ApiResponse): { readonly id?: string } {
  return (body.data ?? {}) as { id?: string };
}

function keyOf(parts: readonly unknown[]): string {
  return `import-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
