import type { EffectiveState } from '../../../domain/memories/memory.ts';
import { effectiveStateOf, type RelationshipType } from '../../../domain/relationships/relationship.ts';
import type { DocumentIndexer, IndexedDocument } from '../../../domain/shared/text-indexer.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { DocumentKind } from '../../../search-index/ports.ts';
import type { DocumentRef, UserFaults } from '../../upkeep.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { type MemoryRow, toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import { outdatedVersions } from '../memories/version-chains.ts';
import { decidesState, liveEdges } from '../relationships/live-edges.ts';
import { keyPrefix, postingKeys } from '../search-index/keyword-index.ts';
import { SqlSegmentRows } from '../search-index/segment-rows.ts';
import { damagedVectors } from '../vectors/vector-sums.ts';
import type { IndexedDocuments } from './indexed-documents.ts';
import type { UnfitRows } from './wrong-rows.ts';

const rowsPerRead = 500;

interface IndexColumns {
  readonly doc: number;
  readonly term_count: number;
  readonly traits: number;
  readonly speaker: string;
  readonly metadata_keys: string;
}

/** Columns that only memories have, correct for every other kind. */
function memoryColumns({ traits, speaker, metadataKeys }: IndexedDocument) {
  return { traits, speaker, metadata_keys: metadataKeys };
}

type VersionRow = MemoryRow & IndexColumns & { readonly closed_at: number | null; readonly trashed: number };

interface UserCheckDeps {
  readonly user: UserRef;
  readonly db: UserDatabase;
  readonly indexed: IndexedDocuments;
  readonly indexer: DocumentIndexer;
  readonly isDamagedSegment: (data: Buffer) => boolean;
  readonly unfit: UnfitRows;
  /** Called after each compared record. */
  readonly onRecord: (kind: DocumentKind) => void;
}

/** Compares one user's records with everything computed from them. */
export class UserCheck {
  readonly #deps: UserCheckDeps;
  readonly #missing: DocumentRef[] = [];
  readonly #wrongWords: DocumentRef[] = [];
  readonly #wrongColumns: DocumentRef[] = [];
  readonly #unknownWords: DocumentRef[] = [];
  #vocabulary = new Set<string>();
  readonly #wrongStates: string[] = [];
  #hidden: ReadonlySet<string> = new Set();
  readonly #memoriesOf = new Map<string, number>();
  readonly #total = { documents: 0, terms: 0 };

  constructor(deps: UserCheckDeps) {
    this.#deps = deps;
  }

  /** @returns undefined without faults */
  async run(): Promise<UserFaults | undefined> {
    await this.#readVocabulary();
    const hidden = await this.#deps.db.tables.hiddenConversations().execute();
    this.#hidden = new Set(hidden.map(({ record_id }) => record_id));
    await this.#checkVersions(await this.#rightStates());
    const memoryCounts = await this.#checkConversations();
    await this.#checkFacts();
    const damagedSegments = await this.#damagedSegments();
    const damaged = await damagedVectors(this.#deps.db);
    const counters = await this.#countersLack();
    const faults: UserFaults = {
      user: this.#deps.user,
      missing: this.#missing,
      wrongWords: this.#wrongWords,
      wrongColumns: this.#wrongColumns,
      unknownWords: this.#unknownWords,
      wrongStates: this.#wrongStates,
      memoryCounts,
      damagedSegments,
      damagedVectors: damaged.map((doc) => ({ kind: 'memory', doc })),
      unfit: this.#deps.unfit.shown,
      unfitRows: this.#deps.unfit.count,
      counters,
    };
    const lists = Object.values(faults).filter((value) => Array.isArray(value));
    const wrong = counters.documents !== 0 || counters.terms !== 0 || lists.some((list) => list.length > 0);
    return wrong ? faults : undefined;
  }

  async #damagedSegments(): Promise<string[]> {
    const { db, isDamagedSegment } = this.#deps;
    const damaged: string[] = [];
    const keys = await db.tables
      .selectFrom('index_segments')
      .select(['space', 'number', 'last_rev'])
      .execute();
    const rows = new SqlSegmentRows(db);
    // One at a time: a segment may have a few megabytes.
    for (const { space, number, last_rev: lastRev } of keys) {
      const data = await rows.data({ space, number, lastRev });
      if (data && isDamagedSegment(data)) damaged.push(`${space}/${number}`);
    }
    return damaged;
  }

  async #readVocabulary(): Promise<void> {
    const rows = await this.#deps.db.tables.selectFrom('user_terms').select('term').execute();
    this.#vocabulary = new Set(rows.map(({ term }) => term));
  }

  async #rightStates(): Promise<Map<string, EffectiveState>> {
    const edges = await liveEdges(this.#deps.db.tables)
      .select(['memory_edges.target_id', 'memory_edges.type'])
      .where(decidesState)
      .execute();
    const types = new Map<string, RelationshipType[]>();
    for (const { target_id, type } of edges)
      types.set(target_id, [...(types.get(target_id) ?? []), type as RelationshipType]);
    for (const { id } of await outdatedVersions(this.#deps.db.tables).execute())
      types.set(id, [...(types.get(id) ?? []), 'SUPERSEDES']);
    return new Map([...types].map(([id, incoming]) => [id, effectiveStateOf(incoming)]));
  }

  async #checkVersions(states: ReadonlyMap<string, EffectiveState>): Promise<void> {
    for (let after = 0; ; ) {
      const rows: VersionRow[] = await versionsWithIdentity(this.#deps.db.tables)
        .select(['memory_versions.term_count', 'memory_versions.traits', 'memory_versions.speaker'])
        .select(['memory_versions.closed_at', 'memory_versions.trashed', 'memory_versions.metadata_keys'])
        .where('memory_versions.doc', '>', after)
        .orderBy('memory_versions.doc')
        .limit(rowsPerRead)
        .execute();
      for (const row of rows) this.#checkVersion(row, states);
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerRead) return;
      after = last.doc;
    }
  }

  #checkVersion(row: VersionRow, states: ReadonlyMap<string, EffectiveState>): void {
    this.#checkText(row);
    if (row.closed_at !== null || row.trashed !== 0) return;
    this.#total.documents++;
    this.#total.terms += row.term_count;
    this.#memoriesOf.set(row.conversationId, (this.#memoriesOf.get(row.conversationId) ?? 0) + 1);
    // An interrupted move continues at the next start, and its states with it.
    if (this.#hidden.has(row.conversationId)) return;
    if (row.effectiveState !== (states.get(row.id) ?? 'current')) this.#wrongStates.push(row.id);
  }

  #checkText(row: VersionRow): void {
    const document = this.#documentOf(row);
    if (!document) return;
    this.#compare('memory', row, document);
    const unknown = document.terms.filter((term) => !this.#vocabulary.has(term));
    if (unknown.length > 0) this.#unknownWords.push({ kind: 'memory', doc: row.doc });
    for (const term of unknown) this.#vocabulary.add(term);
  }

  /** Undefined for a row that cannot be converted. */
  #documentOf(row: VersionRow): IndexedDocument | undefined {
    const { indexer, indexed, unfit, user } = this.#deps;
    try {
      return indexer.memory(toMemory(row));
    } catch (error) {
      // Invalid rows are reported as unfit; their documents are not orphans.
      if (unfit.count === 0) throw error;
      indexed.take(user.id, row.doc, []);
      return undefined;
    }
  }

  async #checkConversations(): Promise<{ id: string; by: number }[]> {
    const wrong: { id: string; by: number }[] = [];
    for (let after = ''; ; ) {
      const rows = await this.#deps.db.tables
        .selectFrom('conversations')
        .select(['id', 'title', 'summary', 'doc', 'term_count', 'memory_count', 'trashed_at'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsPerRead)
        .execute();
      for (const row of rows) {
        const document = this.#deps.indexer.conversation(row.title, row.summary);
        this.#compare('conversation', { ...row, ...memoryColumns(document) }, document);
        const by = (this.#memoriesOf.get(row.id) ?? 0) - row.memory_count;
        if (by !== 0 && row.trashed_at === null) wrong.push({ id: row.id, by });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerRead) return wrong;
      after = last.id;
    }
  }

  async #checkFacts(): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await this.#deps.db.tables
        .selectFrom('facts')
        .select(['doc', 'subject', 'predicate', 'object', 'term_count'])
        .where('doc', '>', after)
        .orderBy('doc')
        .limit(rowsPerRead)
        .execute();
      for (const row of rows) {
        const document = this.#deps.indexer.fact(row);
        this.#compare('fact', { ...row, ...memoryColumns(document) }, document);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerRead) return;
      after = last.doc;
    }
  }

  #compare(kind: DocumentKind, row: IndexColumns, document: IndexedDocument): void {
    const { user, indexed, onRecord } = this.#deps;
    const { doc } = row;
    const found = indexed.take(user.id, doc, postingKeys(keyPrefix(kind, user.id), document.terms));
    if (found === 'missing') this.#missing.push({ kind, doc });
    if (found === 'wrong') this.#wrongWords.push({ kind, doc });
    const columnsRight =
      row.term_count === document.terms.length &&
      row.traits === document.traits &&
      row.speaker === document.speaker &&
      row.metadata_keys === document.metadataKeys;
    if (!columnsRight) this.#wrongColumns.push({ kind, doc });
    onRecord(kind);
  }

  /** Counted from the terms as stored: rewriting a wrong number of terms moves the counters by itself. */
  async #countersLack(): Promise<{ documents: number; terms: number }> {
    const row = await this.#deps.db.tables
      .selectFrom('user_counters')
      .select(['documents', 'document_terms'])
      .executeTakeFirst();
    const { documents, terms } = this.#total;
    return { documents: documents - (row?.documents ?? 0), terms: terms - (row?.document_terms ?? 0) };
  }
}
