import type { TrashKind } from '../../../domain/trash/trash.ts';
import type { UserTable } from '../core/schema.ts';

type Fields = Readonly<Record<string, unknown>>;
type Columns = readonly string[];

/** Columns that refer to the `id` of a row in a table that comes earlier in the file. */
const references: { readonly [T in UserTable]?: Readonly<Record<string, UserTable>> } = {
  conversations: { import_id: 'imports' },
  memories: { conversation_id: 'conversations', import_id: 'imports' },
  memory_versions: { import_id: 'imports' },
  memory_edges: { source_id: 'memories', target_id: 'memories' },
  memory_topics: { topic_id: 'topics', memory_id: 'memories' },
  topic_words: { topic_id: 'topics' },
  topic_merges: { source_id: 'topics', target_id: 'topics' },
  topic_origins: { topic_id: 'topics', memory_id: 'memories' },
  narratives: { first_root_id: 'memories' },
  narrative_memories: { narrative_id: 'narratives', memory_id: 'memories' },
  narrative_topics: { narrative_id: 'narratives' },
  narrative_moves: { narrative_id: 'narratives' },
  artifacts: { memory_id: 'memories', conversation_id: 'conversations', import_id: 'imports' },
  facts: { import_id: 'imports' },
  fact_versions: { fact_id: 'facts' },
  fact_sources: { fact_id: 'facts', memory_id: 'memories' },
  search_feedback: { memory_id: 'memories' },
  community_topics: { community_id: 'communities', topic_id: 'topics' },
  pattern_evidence: { pattern_id: 'patterns', memory_id: 'memories' },
};

/** Columns that refer to a row of the same table: the row itself, or the row that is shown in its place. */
const standIns: { readonly [T in UserTable]?: Columns } = {
  topics: ['canonical_id'],
  entities: ['canonical_id'],
  communities: ['merged_into', 'root_id'],
};

interface Unique {
  readonly columns: Columns;
  readonly among?: (row: Fields) => boolean;
}

/** Columns whose values are unique among the rows for which `among` is true. */
const externalIds: Unique = { columns: ['external_id'], among: ({ external_id }) => external_id !== null };
const unique: { readonly [T in UserTable]?: Unique | readonly Unique[] } = {
  conversations: externalIds,
  memories: externalIds,
  memory_versions: {
    columns: ['name'],
    among: ({ name, closed_at, trashed }) => name !== null && closed_at === null && trashed === 0,
  },
  memory_edges: {
    columns: ['source_id', 'target_id', 'type'],
    among: ({ removed_at }) => removed_at === null,
  },
  topics: { columns: ['normalized_name'] },
  topic_merges: { columns: ['source_id'], among: ({ state }) => state === 'running' || state === 'done' },
  trash_entries: { columns: ['kind', 'record_id'] },
  artifacts: [{ columns: ['seq'] }, externalIds],
  facts: [{ columns: ['fact_key'], among: ({ fact_key }) => fact_key !== null }, externalIds],
  entities: { columns: ['name_key', 'found_type'] },
  patterns: { columns: ['pattern_key'] },
  api_keys: { columns: ['prefix'] },
};

/** The table of the record that a trash entry refers to, by the kind of the entry. */
const trashedIn: Readonly<Record<TrashKind, UserTable>> = {
  memory: 'memories',
  conversation: 'conversations',
  fact: 'facts',
  artifact: 'artifacts',
  narrative: 'narratives',
  'topic-merge': 'topic_merges',
  'community-merge': 'communities',
  entity: 'entities',
  'entity-merge': 'entities',
};

const named = new Set<UserTable>([
  ...Object.values(references).flatMap((columns) => Object.values(columns)),
  ...(Object.keys(standIns) as UserTable[]),
  ...Object.values(trashedIn),
]);

/** Name of a row in messages: its key. A table with one row per user needs none. */
export function rowName(table: string, key: Columns, row: Fields): string {
  const parts = key.map((column) => `${column} ${String(row[column]).slice(0, 100)}`);
  return parts.length === 0 ? table : `${table} (${parts.join(', ')})`;
}

interface Trashed {
  readonly entryId: string;
  readonly table: UserTable;
  readonly recordId: string;
}

interface StandIns {
  readonly table: UserTable;
  readonly column: string;
  readonly targets: Map<string, string[]>;
}

/**
 * Checks how the rows of one user refer to each other. Keeps the ids of
 * tables that others refer to, and the values of unique columns, in memory.
 */
export class ReferenceCheck {
  readonly #ids = new Map<UserTable, Set<string>>();
  /** Trash entries, whose records may come later in the file. */
  readonly #trashed: Trashed[] = [];
  /** By table and column: rows and the rows that are shown in their place. */
  readonly #standIns = new Map<string, StandIns>();
  readonly #supersedes = new Map<string, string[]>();
  readonly #merges = new Map<string, string[]>();
  readonly #sinceRevs = new Map<string, number>();
  #table: UserTable | undefined;
  #last: Fields | undefined;
  #seen = new Set<string>();

  /** @returns the fault of the next row, if any; the types of its columns are checked already */
  checkRow(table: UserTable, key: Columns, row: Fields): string | undefined {
    const wrong = this.#wrongPlace(table, key, row) ?? this.#wrongReference(table, row);
    if (wrong !== undefined) return wrong;
    const id = typeof row.id === 'string' ? row.id : undefined;
    if (id !== undefined && named.has(table)) this.#idsOf(table).add(id);
    for (const column of standIns[table] ?? []) this.#noteStandIn(table, column, row);
    if (table === 'conversations') this.#sinceRevs.set(String(id), Number(row.since_rev));
    if (table === 'trash_entries') this.#noteTrashed(row);
    return this.#noteEdge(table, row);
  }

  /** @returns the faults that show only after the last row of the user */
  end(): string[] {
    const wrong: string[] = [];
    for (const { entryId, table, recordId } of this.#trashed)
      if (!this.#idsOf(table).has(recordId))
        wrong.push(`trash_entries (id ${entryId}): record_id names no row of ${table}`);
    for (const { table, column, targets } of this.#standIns.values()) {
      for (const [id, [target]] of targets)
        if (!this.#idsOf(table).has(target))
          wrong.push(`${table} (id ${id}): ${column} names no row of ${table}`);
      wrong.push(...circles(targets, `${table}: ${column}`));
    }
    wrong.push(...circles(this.#supersedes, 'memory_edges: SUPERSEDES'));
    wrong.push(...circles(this.#merges, 'topic_merges: target_id'));
    return wrong;
  }

  #idsOf(table: UserTable): Set<string> {
    const ids = this.#ids.get(table) ?? new Set<string>();
    this.#ids.set(table, ids);
    return ids;
  }

  #wrongPlace(table: UserTable, key: Columns, row: Fields): string | undefined {
    if (table !== this.#table) {
      this.#seen = new Set();
      this.#last = undefined;
    }
    this.#table = table;
    const before = this.#last;
    this.#last = row;
    if (before && compareKeys(key, before, row) >= 0)
      return `must come in the order of ${key.join(', ')}, each once`;
    for (const { columns, among } of [unique[table] ?? []].flat()) {
      if (among && !among(row)) continue;
      const value = JSON.stringify([columns, ...columns.map((column) => row[column])]);
      if (this.#seen.has(value)) return `${columns.join(' and ')} must be of one row alone`;
      this.#seen.add(value);
    }
    return undefined;
  }

  #wrongReference(table: UserTable, row: Fields): string | undefined {
    for (const [column, target] of Object.entries(references[table] ?? {})) {
      const id = row[column];
      // A thread that has lost all its memories has no first root.
      if (id === null || (id === '' && column === 'first_root_id')) continue;
      if (!this.#idsOf(target).has(String(id))) return `${column} names no row of ${target}`;
    }
    if (table === 'memories' && Number(row.seq) <= Number(this.#sinceRevs.get(String(row.conversation_id))))
      return 'seq must be above the since_rev of its conversation';
    if (row.source_id !== undefined && row.source_id === row.target_id)
      return 'target_id must be another than source_id';
    return undefined;
  }

  #noteStandIn(table: UserTable, column: string, row: Fields): void {
    const target = row[column];
    if (typeof target !== 'string' || target === row.id) return;
    const name = `${table}: ${column}`;
    const all = this.#standIns.get(name) ?? { table, column, targets: new Map<string, string[]>() };
    this.#standIns.set(name, all);
    add(all.targets, String(row.id), target);
  }

  #noteTrashed({ id, kind, record_id: recordId, erased_at }: Fields): void {
    // An entry that is being erased refers to itself at last.
    if (erased_at !== null || recordId === id) return;
    const table = trashedIn[kind as TrashKind];
    this.#trashed.push({ entryId: String(id), table, recordId: String(recordId) });
  }

  #noteEdge(table: UserTable, row: Fields): undefined {
    const { source_id: source, target_id: target, type, removed_at, state, evidence } = row;
    const decidesState = !String(evidence).includes('"keepsState"');
    if (table === 'memory_edges' && type === 'SUPERSEDES' && removed_at === null && decidesState)
      add(this.#supersedes, String(source), String(target));
    if (table === 'topic_merges' && (state === 'running' || state === 'done'))
      add(this.#merges, String(source), String(target));
  }
}

function add(targets: Map<string, string[]>, from: string, to: string): void {
  const known = targets.get(from);
  if (known) known.push(to);
  else targets.set(from, [to]);
}

function circles(targets: ReadonlyMap<string, readonly string[]>, name: string): string[] {
  const id = circleIn(targets);
  return id === undefined ? [] : [`${name} must not lead in a circle, as it does from ${id}`];
}

/** Compares in the order of both engines: numbers by value, texts by code point. */
function compareKeys(key: Columns, a: Fields, b: Fields): number {
  for (const column of key) {
    const [left, right] = [a[column], b[column]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  }
  return 0;
}

/** A node on a cycle of the graph, or undefined if the graph has no cycle. */
function circleIn(targets: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  for (const start of targets.keys()) {
    // The path from `start`; `next` is the number of targets of the node that were followed.
    const way: { readonly node: string; next: number }[] = [{ node: start, next: 0 }];
    const onWay = new Set([start]);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const target = done.has(top.node) ? undefined : targets.get(top.node)?.[top.next++];
      if (target === undefined) {
        done.add(top.node);
        onWay.delete(top.node);
        way.pop();
      } else if (onWay.has(target)) {
        return target;
      } else {
        onWay.add(target);
        way.push({ node: target, next: 0 });
      }
    }
  }
  return undefined;
}
