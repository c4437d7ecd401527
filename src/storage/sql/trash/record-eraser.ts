import type { TrashKind } from '../../../domain/trash/trash.ts';
import type { ErasedStep, RecordEraser } from '../../../domain/trash/trash-store.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { nextRev } from '../core/change-counter.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { type DerivedIds, derivedFrom, leftoversOf, removeUnsupported } from '../derivation/unsupported.ts';
import { toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import { forgetRoots } from '../narratives/narrative-slots.ts';
import { patternsOf, removeUnshownPatterns } from '../patterns/unshown-patterns.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { removeUnusedTopics, topicsNamedBy, topicsOf } from '../topics/unused-topics.ts';
import { nextEpoch } from '../upkeep/rewrite-documents.ts';

/** A few ms of analysis, deletes and index writes for memories of usual length. */
const versionsAtOnce = 64;
const memoriesAtOnce = 64;
const responsesAtOnce = 500;
const idsOfAnswersAtOnce = 50;

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

  async fact(id: string): Promise<void> {
    if (await this.#blankDerivedFact(id)) return;
    const row = await this.#db.tables
      .deleteFrom('facts')
      .where('id', '=', id)
      .returning('doc')
      .executeTakeFirst();
    if (!row) return;
    await this.#keywords.erase([row.doc]);
    await nextEpoch(this.#db);
  }

  /**
   * Blanks a derived fact. Its key stays, by which derivation knows that the fact was deleted.
   * @returns false if no version states it
   */
  async #blankDerivedFact(id: string): Promise<boolean> {
    const { tables } = this.#db;
    const row = await tables
      .updateTable('facts')
      .set({ subject: '', predicate: '', object: '', term_count: 0 })
      .where('id', '=', id)
      .where('fact_key', 'is not', null)
      .where('trashed_at', 'is not', null)
      .where('id', 'in', tables.selectFrom('fact_mentions').select('fact_id').where('fact_id', '=', id))
      .returning('doc')
      .executeTakeFirst();
    if (!row) return false;
    await tables.deleteFrom('fact_versions').where('fact_id', '=', id).execute();
    await this.#keywords.erase([row.doc]);
    await nextEpoch(this.#db);
    return true;
  }

  async entity(id: string): Promise<void> {
    await this.#db.tables
      .updateTable('entities')
      .set((eb) => ({ name: eb.ref('name_key'), type: eb.ref('found_type'), corrected: 0 }))
      .where('id', '=', id)
      .where('trashed_at', 'is not', null)
      .execute();
    await nextEpoch(this.#db);
  }

  async artifact(id: string): Promise<void> {
    await this.#db.tables.deleteFrom('artifacts').where('id', '=', id).execute();
  }

  /** Its slots, topics and moves go with it (ON DELETE CASCADE). */
  async narrative(id: string): Promise<void> {
    await nextRev(this.#db, { documents: 0, terms: 0 });
    const topics = await topicsNamedBy(this.#db, id);
    await this.#db.tables.deleteFrom('narratives').where('id', '=', id).execute();
    await this.#eraseTopics(topics);
  }

  async responses(recordId: string, after: string): Promise<string | undefined> {
    const rows = await this.#db.tables
      .selectFrom('idempotency_keys')
      .select('key')
      .where('key', '>', after)
      .orderBy('key')
      .limit(responsesAtOnce)
      .execute();
    const last = rows.at(-1)?.key;
    if (last === undefined) return undefined;
    await this.#db.tables
      .deleteFrom('idempotency_keys')
      .where('key', '>', after)
      .where('key', '<=', last)
      .where('body', 'like', `%${recordId}%`)
      .execute();
    return rows.length < responsesAtOnce ? undefined : last;
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
    await this.#eraseTopics(topics);
    await removeUnshownPatterns(this.#db, patterns, ids);
    await this.#forgetAnswers(patterns);
    await forgetRoots(this.#db, ids);
    await this.#forgetEntries('memory', ids);
    const artifactIds = artifacts.map(({ id }) => id);
    await this.#forget('artifact', artifactIds);
    const unsupported = await this.#unsupportedAmong(facts.map(({ fact_id }) => fact_id));
    for (const id of unsupported) await this.fact(id);
    await this.#forget('fact', unsupported);
  }

  /** Records that were derived from erased versions alone. */
  async #eraseUnsupported(derived: DerivedIds): Promise<void> {
    const { entities, facts, topics } = await removeUnsupported(this.#db, this.#keywords, derived, true);
    await this.#forget('fact', facts);
    await this.#forget('entity', entities);
    await this.#forgetEntries('entity-merge', entities);
    await this.#forgetMergesInto(entities);
    await this.#forgetAnswers(topics);
  }

  /** Entries of merges whose title names an entity that is gone. */
  async #forgetMergesInto(entityIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(entityIds, idsOfAnswersAtOnce)) {
      await this.#db.tables
        .deleteFrom('trash_entries')
        .where('kind', '=', 'entity-merge')
        .where('erased_at', 'is', null)
        .where((entry) => entry.or(chunk.map((id) => entry('payload', 'like', `%"targetId":"${id}"%`))))
        .execute();
    }
  }

  async #eraseTopics(ids: readonly string[]): Promise<void> {
    await this.#forgetAnswers(await removeUnusedTopics(this.#db, ids));
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

  /** What is left of records that went with another: their stored responses need not hold the id of that one. */
  async #forget(kind: TrashKind, recordIds: readonly string[]): Promise<void> {
    await this.#forgetEntries(kind, recordIds);
    await this.#forgetAnswers(recordIds);
  }

  async #forgetAnswers(recordIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(recordIds, idsOfAnswersAtOnce)) {
      await this.#db.tables
        .deleteFrom('idempotency_keys')
        .where((stored) => stored.or(chunk.map((id) => stored('body', 'like', `%${id}%`))))
        .execute();
    }
  }

  /** An entry that is being erased is left to whoever does that. */
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
