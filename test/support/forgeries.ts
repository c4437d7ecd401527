import type { CellValue, TransferRecord } from '../../src/storage/transfer.ts';

export type Fields = Record<string, CellValue>;

export const at = Date.parse('2026-05-10T12:00:00Z');

export const fieldsOf = (record: TransferRecord) =>
  ('user' in record ? record.user : record.row) as unknown as Fields;
export const tableOf = (record: TransferRecord) => ('user' in record ? 'users' : record.table);

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const times = { created_at: at, updated_at: at };

/** With two rows of what derivation makes, which the sample does not run. */
export function withDerived(records: readonly TransferRecord[]): TransferRecord[] {
  const entity = (n: number) => ({
    ...{ id: id(n), name: `Ana ${n}`, name_key: `ana ${n}`, type: 'PERSON', found_type: 'PERSON' },
    ...{ canonical_id: id(1), merged_by: n === 1 ? null : 'rule', corrected: 0, is_certain: 1 },
    ...{ ...times, trashed_at: null },
  });
  const community = (n: number) => ({
    ...{ id: id(n), algorithm: 'louvain', merged_into: n === 1 ? null : id(1), root_id: id(1) },
    ...{ is_current: 1, size: 2, ...times },
  });
  const pattern = (n: number) => ({
    ...{ id: id(n), pattern_key: `rule|user||${n}`, type: 'rule', name: 'Tabs', description: 'Use tabs.' },
    ...{ context: 'a', owner: 'user', target: 'tabs', against: null, negated: 0, confidence: 1 },
    ...{ base_confidence: 1, positive_count: 0, negative_count: 0, feedback: null, edited: 'name' },
    ...{ is_active: 1, metadata: '{"a":1}', worded_by: null, first_seen_at: at, last_seen_at: at, ...times },
  });
  const made = { entities: entity, communities: community, patterns: pattern };
  const state = { table: 'behaviour_states', row: { state: '{"mood":"calm"}', updated_at: at } };
  const rows = Object.entries(made).flatMap(([table, make]) => [1, 2].map((n) => ({ table, row: make(n) })));
  return [...records, ...rows, state];
}

type Forgery = readonly [
  table: string,
  change: (rows: Fields[], all: readonly TransferRecord[]) => unknown,
  rule: string,
];

const set =
  (fields: Fields, place = 0) =>
  (rows: Fields[]) =>
    Object.assign(rows[place], fields);
const setAll = (fields: Fields) => (rows: Fields[]) => {
  for (const row of rows) Object.assign(row, fields);
};
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const long = (length: number) => 'x'.repeat(length);
const circle = (column: string) => (rows: Fields[]) => {
  rows[0][column] = rows[1].id;
  rows[1][column] = rows[0].id;
};
/** A second row like the first, with another key. */
const twin =
  (table: string, key: Fields, more: Fields = {}) =>
  (rows: Fields[], all: readonly TransferRecord[]) => {
    const last = all.findLastIndex((record) => tableOf(record) === table);
    (all as TransferRecord[]).splice(last + 1, 0, { table, row: { ...rows[0], ...key, ...more } });
  };

/** Rows that no store would have, each with the rule that refuses it. */
export const forgeries: readonly Forgery[] = [
  ['memory_versions', set({ content: long(50_001) }), 'content must have 1 to 50000 characters'],
  ['memory_versions', set({ content: '  ' }), 'must not be blank'],
  ['memory_versions', set({ memory_type: 'nope' }), 'memory_type must be one of episodic, '],
  ['memory_versions', set({ effective_state: '__proto__' }), 'effective_state must be one of current, '],
  ['memory_versions', set({ role: 'root' }), 'role must be one of user, '],
  ['memory_versions', set({ outcome: 'won' }), 'outcome must be one of resolved, '],
  ['memory_versions', set({ name: 'No Name' }), 'name is wrong: name must be 2 to 64'],
  ['memory_versions', set({ context: long(201) }), 'context must have at most 200'],
  ['memory_versions', set({ task_id: long(201) }), 'task_id must have at most 200'],
  ['memory_versions', set({ topics: 'a, b' }), 'topics must be JSON'],
  ['memory_versions', set({ topics: '{}' }), 'topics must be a JSON list of texts'],
  ['memory_versions', set({ topics: JSON.stringify([long(101)]) }), 'topics items must have at most 100'],
  [
    'memory_versions',
    set({ topics: JSON.stringify(Array.from({ length: 51 }, (_, i) => `${i}`)) }),
    'at most 50 items',
  ],
  ['memory_versions', set({ metadata: nested(9) }), 'must not be nested deeper than 8 levels'],
  ['memory_versions', set({ metadata: nested(20_000) }), 'must not be nested deeper than 64 levels'],
  ['memory_versions', set({ metadata: '[1]' }), 'metadata must be a JSON object'],
  ['memory_versions', set({ metadata: '{"__proto__":1}' }), 'must not be __proto__'],
  ['memory_versions', set({ metadata: '{"a":"\\u0000"}' }), 'must not contain the NUL character'],
  ['memory_versions', set({ metadata: JSON.stringify({ a: long(16_400) }) }), 'at most 16384 bytes'],
  ['memory_versions', set({ code_context: '{"repo":5}' }), 'code_context must have texts alone'],
  ['memory_versions', set({ code_context: '{"extra":[]}' }), 'code_context must have an object as extra'],
  ['memory_versions', set({ valid_from: 2, valid_to: 1 }), 'valid_to must be later than valid_from'],
  ['memory_versions', setAll({ closed_at: at }), 'closed_at must be null for the version'],
  ['memories', set({ conversation_id: id(9) }), 'conversation_id names no row of conversations'],
  ['memories', set({ id: long(201) }), 'id must have at most 200'],
  ['memories', set({ external_id: long(201) }), 'external_id must have at most 200'],
  ['memories', setAll({ external_id: 'e' }), 'external_id must be of one row alone'],
  ['conversations', set({ title: long(501) }), 'title must have at most 500'],
  ['conversations', setAll({ since_rev: 6 }), 'seq must be above the since_rev'],
  ['memory_edges', set({ type: 'OWNS' }), 'type must be one of SUPERSEDES, '],
  ['memory_edges', set({ creation_method: 'magic' }), 'creation_method must be one of manual, '],
  ['memory_edges', set({ creation_method: 'manual', reason: long(1001) }), 'reason must have at most 1000'],
  [
    'memory_edges',
    (rows) => Object.assign(rows[0], { target_id: rows[0].source_id }),
    'target_id must be another than source_id',
  ],
  ['memory_edges', set({ target_id: id(9) }), 'target_id names no row of memories'],
  [
    'memory_edges',
    (rows, all) => twin('memory_edges', { id: 'zz' })(rows, all),
    'source_id and target_id and type must be of one row alone',
  ],
  [
    'memory_edges',
    (rows, all) =>
      twin(
        'memory_edges',
        { id: 'zz' },
        { source_id: rows[0].target_id, target_id: rows[0].source_id },
      )(rows, all),
    'SUPERSEDES must not lead in a circle',
  ],
  ['topics', set({ name: long(101) }), 'name must have at most 100'],
  [
    'topics',
    (rows) => Object.assign(rows[1], { normalized_name: rows[0].normalized_name }),
    'normalized_name must be of one row alone',
  ],
  ['topics', set({ canonical_id: id(9) }), 'canonical_id names no row of topics'],
  ['topics', circle('canonical_id'), 'canonical_id must not lead in a circle'],
  ['topics', (rows) => Object.assign(rows[1], { id: rows[0].id }), 'must come in the order of id, each once'],
  ['memory_topics', set({ topic_id: '0' }), 'topic_id names no row of topics'],
  ['topic_merges', set({ state: 'nope' }), 'state must be one of running, '],
  [
    'topic_merges',
    (rows, all) =>
      twin(
        'topic_merges',
        { id: 'zz' },
        { source_id: rows[0].target_id, target_id: rows[0].source_id },
      )(rows, all),
    'target_id must not lead in a circle',
  ],
  ['narratives', set({ state: 'over' }), 'state must be one of open, '],
  ['narratives', set({ first_root_id: id(9) }), 'first_root_id names no row of memories'],
  ['narrative_moves', set({ state: 'over' }), 'state must be one of open, '],
  ['trash_entries', set({ kind: 'user' }), 'kind must be one of memory, '],
  ['trash_entries', set({ record_id: id(9) }), 'record_id names no row of'],
  ['trash_entries', set({ counts: '{"memories":"many"}' }), 'counts must have whole numbers alone'],
  ['trash_entries', set({ payload: 'null' }), 'payload must be a JSON object'],
  ['trash_entries', set({ moving: 4 }), 'moving must be from 1 to 3'],
  ['artifacts', set({ content: long(200_001) }), 'content must have at most 200000'],
  ['artifacts', set({ memory_id: id(9) }), 'memory_id names no row of memories'],
  ['artifacts', set({ metadata: '5' }), 'metadata must be a JSON object'],
  ['facts', set({ subject: long(501) }), 'subject must have at most 500'],
  ['facts', set({ confidence: 2 }), 'confidence must be from 0 to 1'],
  ['fact_sources', set({ fact_id: '0' }), 'fact_id names no row of facts'],
  ['search_feedback', set({ action: 'bought' }), 'action must be one of selected, '],
  ['entities', set({ type: '__proto__' }), 'type must be one of PERSON, '],
  ['entities', set({ found_type: 'THING' }), 'found_type must be one of PERSON, '],
  ['entities', set({ merged_by: 'nobody' }), 'merged_by must be one of rule, '],
  ['entities', set({ name: long(1e6) }), 'name must have at most 200'],
  ['entities', circle('canonical_id'), 'canonical_id must not lead in a circle'],
  ['entities', set({ canonical_id: id(9) }), `(id ${id(1)}): canonical_id names no row of entities`],
  ['communities', set({ algorithm: 'guess' }), 'algorithm must be one of louvain, '],
  ['communities', circle('merged_into'), 'merged_into must not lead in a circle'],
  ['communities', set({ root_id: id(9) }), 'root_id names no row of communities'],
  ['patterns', set({ type: 'whim' }), 'type must be one of correction, '],
  ['patterns', set({ edited: 'name,id' }), 'edited must be a list by comma'],
  ['patterns', set({ metadata: nested(9) }), 'must not be nested deeper than 8 levels'],
  ['patterns', set({ description: long(1001) }), 'description must have at most 1000'],
  ['behaviour_states', set({ state: '[]' }), 'state must be a JSON object'],
  [
    'behaviour_states',
    set({ state: JSON.stringify({ a: long(65_536) }) }),
    'state must have at most 65536 bytes',
  ],
];
