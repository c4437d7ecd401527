import { sql } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import type {
  IndexReader,
  IndexRow,
  LiveDocument,
  PlainKind,
  RareFields,
  RecordText,
  VectorRow,
  Vocabulary,
} from '../../retrieval/ports.ts';
import { documentStatistics, liveDocuments, recordTexts } from './live-documents.ts';
import type { UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';
import { SqlVocabulary } from './vocabulary.ts';

const headQuery = new UserQuery<Record<never, never>, { rev: number; epoch: number }>((tables) =>
  tables.selectFrom('user_counters').select(['rev', 'epoch']),
);

const changes = new UserQuery<{ rev: number; doc: number; limit: number }, IndexRow>((tables, args) =>
  tables
    .selectFrom('memory_versions')
    .innerJoin('memories', (join) =>
      join
        .onRef('memories.user_id', '=', 'memory_versions.user_id')
        .onRef('memories.seq', '=', 'memory_versions.memory_seq'),
    )
    .select([
      'memory_versions.doc',
      'memories.seq',
      'memory_versions.rev',
      'memory_versions.opened_at as openedAt',
      'memory_versions.closed_at as closedAt',
      'memory_versions.trashed',
      'memory_versions.memory_type as memoryType',
      'memory_versions.effective_state as effectiveState',
      'memories.conversation_id as conversationId',
      'memory_versions.event_time as eventTime',
      'memory_versions.valid_from as validFrom',
      'memory_versions.valid_to as validTo',
      'memories.created_at as createdAt',
      'memory_versions.updated_at as updatedAt',
      'memory_versions.term_count as termCount',
      'memory_versions.traits',
      'memory_versions.speaker',
      'memory_versions.topics',
    ])
    .where(sql<boolean>`(memory_versions.rev, memory_versions.doc) > (${args.rev}, ${args.doc})`)
    .orderBy('memory_versions.rev')
    .orderBy('memory_versions.doc')
    .limit(args.limit),
);

interface StoredVector {
  readonly doc: number;
  readonly part: number;
  readonly rev: number;
  readonly vector: Buffer;
}

const vectorsAfter = new UserQuery<
  { space: string; rev: number; doc: number; part: number; limit: number },
  StoredVector
>((tables, args) =>
  tables
    .selectFrom('memory_vectors')
    .select(['doc', 'part', 'rev', 'vector'])
    .where('space', '=', args.space)
    .where(sql<boolean>`(rev, doc, part) > (${args.rev}, ${args.doc}, ${args.part})`)
    .orderBy('rev')
    .orderBy('doc')
    .orderBy('part')
    .limit(args.limit),
);

function toVectorRow({ doc, part, rev, vector }: StoredVector): VectorRow {
  return { doc, part, rev, vector: new Int8Array(vector.buffer, vector.byteOffset, vector.length) };
}

/** The part of a user's search index that stands in ordinary tables; postings are each engine's own. */
export class SqlIndexRows implements Omit<IndexReader, 'postings'> {
  readonly vocabulary: Vocabulary;
  protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
    this.vocabulary = new SqlVocabulary(db);
  }

  async head(): Promise<{ rev: number; epoch: number }> {
    return (await this.db.first(headQuery, {})) ?? { rev: 0, epoch: 0 };
  }

  changesSince(rev: number, doc: number, limit: number): Promise<IndexRow[]> {
    return this.db.all(changes, { rev, doc, limit });
  }

  async docsWith({ scope, taskId, outcome }: RareFields): Promise<number[]> {
    let query = this.db.tables.selectFrom('memory_versions').select('doc').where('trashed', '=', 0);
    if (taskId !== undefined) query = query.where('task_id', '=', taskId);
    if (outcome !== undefined) query = query.where('outcome', '=', outcome);
    const pairs = Object.entries(scope ?? {});
    if (pairs.length === 0) return (await query.orderBy('doc').execute()).map(({ doc }) => doc);
    const rows = await query
      .select('code_context')
      .where('code_context', 'is not', null)
      .orderBy('doc')
      .execute();
    return rows.filter((row) => matchesScope(row.code_context, pairs)).map(({ doc }) => doc);
  }

  async vectorsSince(
    space: string,
    after: { rev: number; doc: number; part: number },
    limit: number,
  ): Promise<VectorRow[]> {
    const { rev, doc, part } = after;
    return (await this.db.all(vectorsAfter, { space, rev, doc, part, limit })).map(toVectorRow);
  }

  async vectorsOf(space: string, docs: readonly number[]): Promise<VectorRow[]> {
    const found: VectorRow[] = [];
    for (const chunk of chunksOf(docs)) {
      const rows = await this.db.tables
        .selectFrom('memory_vectors')
        .select(['doc', 'part', 'rev', 'vector'])
        .where('space', '=', space)
        .where('doc', 'in', chunk)
        .execute();
      found.push(...rows.map(toVectorRow));
    }
    return found;
  }

  liveDocuments(kind: PlainKind, docs: readonly number[]): Promise<LiveDocument[]> {
    return liveDocuments(this.db, kind, docs);
  }

  recordTexts(kind: PlainKind, limit: number): Promise<RecordText[]> {
    return recordTexts(this.db, kind, limit);
  }

  statistics(kind: PlainKind): Promise<{ documents: number; terms: number }> {
    return documentStatistics(this.db, kind);
  }
}

function matchesScope(codeContext: string | null, pairs: readonly [string, string | undefined][]): boolean {
  const values = JSON.parse(codeContext ?? '{}') as Record<string, unknown>;
  return pairs.every(([key, value]) => values[key] === value);
}
