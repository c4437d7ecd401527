import { sql } from 'kysely';
import type { KnownMemory, Memory } from '../../../domain/memories/memory.ts';
import type { FoundMemory, MemoryReader, VersionSpan } from '../../../domain/memories/memory-store.ts';
import { externalIdOf, idInExternalId } from '../../../domain/shared/external-id.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import type { Author } from '../../../domain/shared/user-ref.ts';
import { pauseAfter } from '../../../lib/loop-time.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { type PartsRow, selectParts, toParts } from '../derivation/derivation-reader.ts';
import { type MemoryRow, memoryRecord, toMemory } from './memory-columns.ts';

/** Versions with the identity of their memory, both of the one user. */
export const versionsWithIdentity = (tables: UserTables) =>
  tables
    .selectFrom('memory_versions')
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .select(memoryRecord.selection);

/** Live memories with their open version. */
const liveMemories = (tables: UserTables) =>
  tables
    .selectFrom('memories')
    .$call(join('memory_versions', 'memories.doc', 'doc'))
    .where(tables.liveMemory())
    .select(memoryRecord.selection);

const byId = new UserQuery<{ id: string }, MemoryRow>((tables, { id }) =>
  liveMemories(tables).where('memories.id', '=', id),
);

const byIdWithParts = new UserQuery<{ id: string }, MemoryRow & PartsRow>((tables, { id }) =>
  liveMemories(tables).where('memories.id', '=', id).select(selectParts),
);

const byName = new UserQuery<{ name: string }, MemoryRow>((tables, { name }) =>
  versionsWithIdentity(tables)
    .where('memory_versions.name', '=', name)
    .where('memory_versions.closed_at', 'is', null)
    .where('memory_versions.trashed', '=', 0)
    .where(tables.inShownConversation()),
);

const asOfById = new UserQuery<{ id: string; at: number }, MemoryRow>((tables, { id, at }) =>
  versionsWithIdentity(tables)
    .where('memories.id', '=', id)
    .where(tables.liveMemory())
    .where('memory_versions.opened_at', '<=', at)
    .where((eb) =>
      eb.or([eb('memory_versions.closed_at', 'is', null), eb('memory_versions.closed_at', '>', at)]),
    ),
);

/** Versions read at once: some milliseconds. */
const versionsAtOnce = 2000;
interface ValueOfVersion {
  readonly doc: number;
  readonly value: string | null;
}

const valuesAfter = (column: 'role' | 'created_by') =>
  new UserQuery<{ after: number }, ValueOfVersion>((tables, { after }) =>
    tables
      .selectFrom('memory_versions')
      .where('doc', '>', after)
      .orderBy('doc')
      .limit(versionsAtOnce)
      .select(['doc', `${column} as value`]),
  );
const rolesAfter = valuesAfter('role');
const authorsAfter = valuesAfter('created_by');

const valuesIn = (column: 'role' | 'created_by') =>
  listQuery<number, { value: string; count: number }>((tables, docs) =>
    tables
      .selectFrom('memory_versions')
      .where('doc', 'in', docs)
      .where(column, 'is not', null)
      .groupBy(column)
      .select(sql<string>`${sql.ref(column)}`.as('value'))
      .select(sql<number>`count(*)`.as('count')),
  );
const rolesIn = valuesIn('role');
const authorsIn = valuesIn('created_by');

const seqById = new UserQuery<{ id: string }, { seq: number }>((tables, { id }) =>
  tables.selectFrom('memories').select('seq').where('id', '=', id),
);

/** The order of the index of names, so that nothing is sorted. */
const byNameOrder: readonly SortColumn[] = [{ column: 'memory_versions.name', order: 'asc', part: 'text' }];
const newestDocFirst: readonly SortColumn[] = [
  { column: 'memory_versions.doc', order: 'desc', part: 'integer' },
];
const newestVersionFirst: readonly SortColumn[] = [
  { column: 'memories.chain_version', order: 'desc', part: 'integer' },
  { column: 'memories.seq', order: 'desc', part: 'integer' },
];

const byExternalIds = listQuery<string, MemoryRow>((tables, externalIds) =>
  versionsWithIdentity(tables)
    .where('memories.external_id', 'in', externalIds)
    .whereRef('memory_versions.doc', '=', 'memories.doc'),
);

const byOwnIds = listQuery<string, MemoryRow>((tables, ids) =>
  versionsWithIdentity(tables)
    .where('memories.id', 'in', ids)
    .whereRef('memory_versions.doc', '=', 'memories.doc'),
);

const liveAmong = listQuery<string, { id: string }>((tables, ids) =>
  tables.selectFrom('memories').select('id').where('id', 'in', ids).where(tables.liveMemory()),
);

const byChain = new UserQuery<{ chainId: string; limit: number }, MemoryRow>((tables, { chainId, limit }) =>
  liveMemories(tables)
    .where('memories.chain_id', '=', chainId)
    .orderBy('memories.chain_version', 'desc')
    .limit(limit),
);

const afterSeq = new UserQuery<{ seq: number; limit: number }, MemoryRow>((tables, { seq, limit }) =>
  liveMemories(tables).where('memories.seq', '>', seq).orderBy('memories.seq').limit(limit),
);

const beforeSeq = new UserQuery<{ seq: number; limit: number }, MemoryRow>((tables, { seq, limit }) =>
  liveMemories(tables).where('memories.seq', '<', seq).orderBy('memories.seq', 'desc').limit(limit),
);

const docsByIdRange = new UserQuery<{ from: string; to: string; limit: number }, { doc: number }>(
  (tables, args) =>
    tables
      .selectFrom('memories')
      .select('doc')
      .where('id', '>=', args.from)
      .where('id', '<', args.to)
      .where(tables.liveMemory())
      .orderBy('id')
      .limit(args.limit),
);

const countLive = new UserQuery<Record<never, never>, { documents: number; hidden: number | string | null }>(
  (tables) =>
    tables
      .selectFrom('user_counters')
      .select('documents')
      .select(
        tables
          .hiddenConversations()
          .clearSelect()
          .select(sql<number | null>`sum(hidden_rows)`.as('rows'))
          .as('hidden'),
      ),
);

const byDocs = listQuery<number, MemoryRow>((tables, docs) =>
  versionsWithIdentity(tables).where('memory_versions.doc', 'in', docs),
);

const byIds = listQuery<string, MemoryRow>((tables, ids) =>
  liveMemories(tables).where('memories.id', 'in', ids),
);

export class SqlMemoryReader extends UserRecords implements MemoryReader {
  async find(id: string): Promise<Memory | undefined> {
    const row = await this.db.first(byId, { id });
    return row && toMemory(row);
  }

  async findWithParts(id: string): Promise<FoundMemory | undefined> {
    const row = await this.db.first(byIdWithParts, { id });
    return row && { memory: toMemory(row), parts: toParts(row) };
  }

  async findByName(name: string): Promise<Memory | undefined> {
    const row = await this.db.first(byName, { name });
    return row && toMemory(row);
  }

  async seqOf(id: string): Promise<number | undefined> {
    return (await this.db.first(seqById, { id }))?.seq;
  }

  async findByExternalIds(externalIds: readonly string[]): Promise<Map<string, KnownMemory>> {
    if (externalIds.length === 0) return new Map();
    const rows = await this.db.all(byExternalIds(externalIds.length), listArguments(externalIds));
    const known = new Map(rows.map((row) => [row.externalId ?? '', row]));
    const ownIds = externalIds.flatMap((each) => (known.has(each) ? [] : (idInExternalId(each) ?? [])));
    if (ownIds.length > 0)
      for (const row of await this.db.all(byOwnIds(ownIds.length), listArguments(ownIds)))
        known.set(externalIdOf(row.id), row);
    if (known.size === 0) return new Map();
    const ids = [...known.values()].map(({ id }) => id);
    // One in a conversation that is being deleted counts as deleted.
    const live = new Set((await this.db.all(liveAmong(ids.length), listArguments(ids))).map(({ id }) => id));
    return new Map(
      [...known].map(([key, row]) => [key, { memory: toMemory(row), isTrashed: !live.has(row.id) }]),
    );
  }

  async findMany(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    const rows = await this.db.all(byIds(ids.length), listArguments(ids));
    return rows.map(toMemory);
  }

  async findByDocs(docs: readonly number[]): Promise<Memory[]> {
    if (docs.length === 0) return [];
    const rows = await this.db.all(byDocs(docs.length), listArguments(docs));
    const found = new Map(rows.map((row) => [row.doc, toMemory(row)]));
    return docs.flatMap((doc) => found.get(doc) ?? []);
  }

  async docsByIdPrefix(prefix: string, limit: number): Promise<number[]> {
    const rows = await this.db.all(docsByIdRange, { from: prefix, to: `${prefix}\u{10ffff}`, limit });
    return rows.map(({ doc }) => doc);
  }

  async listChain(chainId: string, limit: number): Promise<Memory[]> {
    return (await this.db.all(byChain, { chainId, limit })).map(toMemory);
  }

  async listChainDocs(chainId: string, request: PageRequest): Promise<Page<number>> {
    const { tables } = this.db;
    const rows = tables
      .selectFrom('memories')
      .where('memories.chain_id', '=', chainId)
      .where(tables.liveMemory());
    const read = rows.select(['memories.doc', 'memories.chain_version', 'memories.seq']);
    const page = await pageOf(rows, read, { by: newestVersionFirst, request });
    return { ...page, items: page.items.map(({ doc }) => doc) };
  }

  async listVersions(id: string, request: PageRequest): Promise<Page<VersionSpan>> {
    const { tables } = this.db;
    const live = tables.selectFrom('memories').where(tables.liveMemory()).where('memories.id', '=', id);
    const rows = tables
      .selectFrom('memory_versions')
      .where('memory_versions.memory_seq', 'in', live.select('memories.seq'));
    const read = rows.select(['memory_versions.doc', 'opened_at as openedAt', 'closed_at as closedAt']);
    return pageOf(rows, read, { by: newestDocFirst, request });
  }

  async findAsOf(id: string, at: EpochMs): Promise<Memory | undefined> {
    const row = await this.db.first(asOfById, { id, at });
    return row && toMemory(row);
  }

  async listNamed(request: PageRequest): Promise<Page<Memory>> {
    const rows = this.db.tables
      .selectFrom('memory_versions')
      .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
      .where('memory_versions.name', 'is not', null)
      .where('memory_versions.closed_at', 'is', null)
      .where('memory_versions.trashed', '=', 0);
    const read = rows.select(memoryRecord.selection);
    const page = await pageOf(rows, read, { by: byNameOrder, request });
    return { ...page, items: page.items.map(toMemory) };
  }

  async listBefore(seq: number, limit: number): Promise<Memory[]> {
    return (await this.db.all(beforeSeq, { seq, limit })).map(toMemory);
  }

  async listAfter(seq: number, limit: number): Promise<Memory[]> {
    return (await this.db.all(afterSeq, { seq, limit })).map(toMemory);
  }

  docsWithRole(role: string): Promise<number[]> {
    return this.#docsWith(rolesAfter, (value) => value === role);
  }

  docsWrittenBy(asked: Partial<Author>): Promise<number[]> {
    const given = Object.entries(asked).filter(([, value]) => value !== undefined);
    return this.#docsWith(authorsAfter, (value) => {
      const author = JSON.parse(value) as Readonly<Record<string, unknown>>;
      return given.every(([name, requested]) => author[name] === requested);
    });
  }

  /** Docs of all versions with a value that passes, read in pieces. */
  async #docsWith(query: typeof rolesAfter, passes: (value: string) => boolean): Promise<number[]> {
    const docs: number[] = [];
    for (let after: number | undefined = -1; after !== undefined; ) {
      const rows: readonly ValueOfVersion[] = await this.db.all(query, { after });
      for (const { doc, value } of rows) if (value !== null && passes(value)) docs.push(doc);
      after = rows.length < versionsAtOnce ? undefined : rows.at(-1)?.doc;
      await pauseAfter();
    }
    return docs;
  }

  async countRoles(docs: readonly number[]): Promise<{ role: string; count: number }[]> {
    return (await this.#countsOf(rolesIn, docs)).map(({ value, count }) => ({ role: value, count }));
  }

  async countAuthors(docs: readonly number[]): Promise<{ author: Author; count: number }[]> {
    const counts = await this.#countsOf(authorsIn, docs);
    return counts.map(({ value, count }) => ({ author: JSON.parse(value) as Author, count }));
  }

  async #countsOf(
    query: typeof rolesIn,
    docs: readonly number[],
  ): Promise<{ value: string; count: number }[]> {
    if (docs.length === 0) return [];
    const rows = await this.db.all(query(docs.length), listArguments(docs));
    return rows.map(({ value, count }) => ({ value, count: Number(count) }));
  }

  async count(): Promise<number> {
    const row = await this.db.first(countLive, {});
    return row ? row.documents - Number(row.hidden ?? 0) : 0;
  }
}
