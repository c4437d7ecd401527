import type { ErasedStep, RecordEraser, TrashKind } from '../../../domain/trash/trash.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { type DerivedIds, derivedFrom, leftoversOf, removeUnsupported } from '../derivation/unsupported.ts';
import { eraseFact } from '../facts/fact-store.ts';
import { toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import { forgetRoots } from '../narratives/narrative-slots.ts';
import { patternsOf, removeUnshownPatterns } from '../patterns/unshown-patterns.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { removeUnusedTopics, topicsOf } from '../topics/unused-topics.ts';
import { nextEpoch } from '../upkeep/rewrite-documents.ts';
import { eraseResponses } from '../users/idempotency-store.ts';

/** A few ms of analysis, deletes and index writes for memories of usual length. */
const versionsAtOnce = 64;
const memoriesAtOnce = 64;
const entitiesAtOnce = 50;

const done: ErasedStep = { more: false, versions: [] };

interface Identity {
  readonly id: string;
  readonly seq: number;
}

export class SqlRecordEraser implements RecordEraser {
  readonly #db: UserDatabase;
  readonly #keywords: KeywordWriter;

  constructor(db: UserDatabase, { keywords }: { readonly keywords: KeywordWriter }) {
    this.#db = db;
    this.#keywords = keywords;
  }

  async memory(id: string): Promise<ErasedStep> {
    const row = await this.#db.tables
      .selectFrom('memories')
      .select(['id', 'seq', 'conversation_id'])
      .where('id', '=', id)
      .where('trashed_at', 'is not', null)
      .executeTakeFirst();
    if (!row) return done;
    return { ...(await this.#eraseVersions([row])), conversationId: row.conversation_id };
  }

  async conversation(id: string): Promise<ErasedStep> {
    const row = await this.#db.tables
      .selectFrom('conversations')
      .select(['doc', 'since_rev'])
      .where('id', '=', id)
      .where('trashed_at', 'is not', null)
      .executeTakeFirst();
    if (!row) return done;
    const memories = await this.#db.tables
      .selectFrom('memories')
      .select(['id', 'seq'])
      .where('conversation_id', '=', id)
      .where('seq', '>', row.since_rev)
      .orderBy('seq')
      .limit(memoriesAtOnce)
      .execute();
    if (memories.length > 0) return { ...(await this.#eraseVersions(memories)), more: true };
    await this.#keywords.erase([row.doc]);
    const artifacts = await this.#db.tables
      .selectFrom('artifacts')
      .select('id')
      .where('conversation_id', '=', id)
      .execute();
    await this.#forget(
      'artifact',
      artifacts.map((artifact) => artifact.id),
    );
    await this.#db.tables.deleteFrom('conversations').where('id', '=', id).execute();
    await nextEpoch(this.#db);
    return done;
  }

  forgetTerms(terms: readonly string[]): Promise<void> {
    return this.#keywords.forgetTerms(terms);
  }

  async #eraseVersions(memories: readonly Identity[]): Promise<ErasedStep> {
    const seqs = memories.map(({ seq }) => seq);
    const rows = await versionsWithIdentity(this.#db.tables)
      .where('memory_versions.memory_seq', 'in', seqs)
      .orderBy('memory_versions.doc')
      .limit(versionsAtOnce)
      .execute();
    const versions = rows.map(toMemory);
    const docs = versions.map(({ doc }) => doc);
    if (docs.length > 0) {
      const derived = await derivedFrom(this.#db, docs);
      await this.#keywords.erase(docs);
      await this.#db.tables.deleteFrom('memory_versions').where('doc', 'in', docs).execute();
      await this.#eraseUnsupported(derived);
    }
    const more = rows.length === versionsAtOnce;
    if (!more) {
      await this.#eraseIdentities(memories.map(({ id }) => id));
      await this.#eraseUnsupported(await leftoversOf(this.#db));
    }
    await nextEpoch(this.#db);
    return { more, versions };
  }

  /**
   * Its edges, topics, artifacts and other rows that refer to it are removed
   * by ON DELETE CASCADE; facts without another source are removed here.
   */
  async #eraseIdentities(ids: readonly string[]): Promise<void> {
    const facts = await this.#db.tables
      .selectFrom('fact_sources')
      .select('fact_id')
      .distinct()
      .where('memory_id', 'in', ids)
      .execute();
    const artifacts = await this.#db.tables
      .selectFrom('artifacts')
      .select('id')
      .where('memory_id', 'in', ids)
      .execute();
    const topics = await topicsOf(this.#db, ids);
    const patterns = await patternsOf(this.#db, ids);
    await this.#db.tables.deleteFrom('memories').where('id', 'in', ids).execute();
    await eraseResponses(this.#db, await removeUnusedTopics(this.#db, topics));
    await removeUnshownPatterns(this.#db, patterns, ids);
    await eraseResponses(this.#db, patterns);
    await forgetRoots(this.#db, ids);
    await this.#forgetEntries('memory', ids);
    const artifactIds = artifacts.map(({ id }) => id);
    await this.#forget('artifact', artifactIds);
    const unsupported = await this.#unsupportedAmong(facts.map(({ fact_id }) => fact_id));
    for (const id of unsupported) await eraseFact(this.#db, this.#keywords, id);
    await this.#forget('fact', unsupported);
  }

  /** Records that were derived from erased versions alone. */
  async #eraseUnsupported(derived: DerivedIds): Promise<void> {
    const { entities, facts, topics } = await removeUnsupported(this.#db, this.#keywords, derived, true);
    await this.#forget('fact', facts);
    await this.#forget('entity', entities);
    await this.#forgetEntries('entity-merge', entities);
    await this.#forgetMergesInto(entities);
    await eraseResponses(this.#db, topics);
  }

  /** Entries of merges whose title names an erased entity. */
  async #forgetMergesInto(entityIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(entityIds, entitiesAtOnce)) {
      await this.#db.tables
        .deleteFrom('trash_entries')
        .where('kind', '=', 'entity-merge')
        .where('erased_at', 'is', null)
        .where((entry) => entry.or(chunk.map((id) => entry('payload', 'like', `%"targetId":"${id}"%`))))
        .execute();
    }
  }

  async #unsupportedAmong(factIds: readonly string[]): Promise<string[]> {
    if (factIds.length === 0) return [];
    const said = await this.#db.tables
      .selectFrom('fact_sources')
      .select('fact_id')
      .distinct()
      .where('fact_id', 'in', factIds)
      .execute();
    const kept = new Set(said.map(({ fact_id }) => fact_id));
    return factIds.filter((id) => !kept.has(id));
  }

  /**
   * Removes entries and stored responses of records erased
   * with another one: responses about them may lack its id.
   */
  async #forget(kind: TrashKind, recordIds: readonly string[]): Promise<void> {
    await this.#forgetEntries(kind, recordIds);
    await eraseResponses(this.#db, recordIds);
  }

  /** Entries that are being erased stay: their erasing removes them. */
  async #forgetEntries(kind: TrashKind, recordIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(recordIds)) {
      await this.#db.tables
        .deleteFrom('trash_entries')
        .where('kind', '=', kind)
        .where('record_id', 'in', chunk)
        .where('erased_at', 'is', null)
        .execute();
    }
  }
}
