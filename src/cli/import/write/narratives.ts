import { hash } from 'node:crypto';
import {
  type ApiClient,
  type ApiResponse,
  describe,
  RequestAbandonedError,
} from '../../client/api-client.ts';
import type { Stored } from './report.ts';

/** A narrative whose memories are stored. */
export interface NarrativeToStore {
  readonly title: string;
  /** In their order, at least one. */
  readonly memoryIds: readonly string[];
  readonly topics?: readonly string[];
  readonly state: string;
  readonly resolutionMemoryId?: string;
  /** Of its last change in the source. */
  readonly updatedAt?: string;
}

interface KnownNarrative {
  readonly id: string;
  readonly title: string;
  readonly rootMemoryId: string;
  readonly state: string;
  readonly resolutionMemoryId?: string;
  readonly updatedAt: string;
  readonly moves?: readonly unknown[];
}

/** Narratives and entries of the trash that are compared at most; a thread beyond them is taken for a new one. */
const comparedMax = 10_000;
const pageSize = 100;
const pathOf = (id: string) => `/api/narratives/${id}`;

/**
 * Stores narratives, which have no external ids: one is known by its title and first memory, and in the trash by its title.
 * A known one gets the memories that it lacks at its end, and the state of the source unless it was changed here later.
 */
export class NarrativeWriter {
  readonly #api: ApiClient;
  #known: Promise<readonly KnownNarrative[]> | undefined;
  #deleted: Promise<ReadonlySet<string>> | undefined;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** @throws RequestAbandonedError if the service is away */
  async store(narrative: NarrativeToStore): Promise<Stored> {
    const { title, memoryIds } = narrative;
    const [rootMemoryId] = memoryIds;
    this.#known ??= this.#list<KnownNarrative>('/api/narratives');
    const known = (await this.#known).find((one) => one.title === title && one.rootMemoryId === rootMemoryId);
    if (known !== undefined) return this.#complete(known.id, narrative);
    this.#deleted ??= this.#titlesInTrash();
    if ((await this.#deleted).has(title)) return { outcome: 'deletedHere' };
    const response = await this.#send('POST', '/api/narratives', {
      title,
      rootMemoryId,
      topics: narrative.topics,
    });
    if (response.status !== 201) return { outcome: 'refused', reason: describe(response) };
    await this.#complete((response.body.data as KnownNarrative).id, narrative);
    return { outcome: 'stored' };
  }

  /** Adds the missing memories, so that a thread whose import was interrupted is completed, too. */
  async #complete(id: string, narrative: NarrativeToStore): Promise<Stored> {
    const { memoryIds, state, resolutionMemoryId, updatedAt = '' } = narrative;
    const members = await this.#list<{ memory: { id: string } }>(`${pathOf(id)}/timeline`);
    const present = new Set(members.map(({ memory }) => memory.id));
    const missing = memoryIds.filter((memoryId) => !present.has(memoryId));
    for (const memoryId of missing) {
      const added = await this.#send('POST', `${pathOf(id)}/memories`, { memoryId });
      if (added.status !== 200) return { outcome: 'refused', reason: describe(added) };
    }
    const here = (await this.#send('GET', pathOf(id))).body.data as KnownNarrative;
    const isSame = here.state === state && here.resolutionMemoryId === resolutionMemoryId;
    // As begun, it has one move.
    const isUntouched = (here.moves?.length ?? 1) <= 1;
    if (isSame || !(isUntouched || updatedAt > here.updatedAt))
      return { outcome: missing.length > 0 ? 'changed' : 'unchanged' };
    const moved = await this.#send('PATCH', pathOf(id), { state, resolutionMemoryId });
    if (moved.status !== 200) return { outcome: 'refused', reason: describe(moved) };
    return { outcome: 'changed' };
  }

  async #titlesInTrash(): Promise<ReadonlySet<string>> {
    const entries = await this.#list<{ title: string }>('/api/trash?kind=narrative');
    return new Set(entries.map(({ title }) => title));
  }

  async #list<T>(path: string): Promise<readonly T[]> {
    const all: T[] = [];
    const sign = path.includes('?') ? '&' : '?';
    while (all.length < comparedMax) {
      const page = await this.#send('GET', `${path}${sign}limit=${pageSize}&offset=${all.length}`);
      const data = page.body.data as readonly T[] | undefined;
      if (page.status !== 200 || data === undefined) throw new RequestAbandonedError(describe(page));
      if (data.length === 0) break;
      all.push(...data);
    }
    return all;
  }

  async #send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<ApiResponse> {
    const key = hash('sha256', JSON.stringify([path, body]), 'base64url');
    const idempotencyKey = method === 'POST' ? `import-${key}` : undefined;
    const response = await this.#api.send({ method, path, body, idempotencyKey });
    if (response.status >= 500) throw new RequestAbandonedError(describe(response));
    return response;
  }
}
