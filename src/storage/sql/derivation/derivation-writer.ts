import { randomUUID } from 'node:crypto';
import type { ChangedRecord } from '../../../domain/changes/change.ts';
import type {
  DerivationWriter,
  DerivedVersion,
  ProposedVersion,
} from '../../../domain/derivation/derivation-store.ts';
import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import { withoutVetoed } from '../../../domain/derivation/vetoes.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { normaliseTopicName, topicWords } from '../../../domain/topics/topic.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { markOutdated } from '../facts/outdated-mentions.ts';
import { recordOlderWork } from '../jobs/job-writer.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { SqlDerivationReader } from './derivation-reader.ts';
import { type EntityIds, entityIds, insertEntityMentions, proposedBy } from './entity-rows.ts';
import { writeFacts } from './fact-rows.ts';
import { showFullestNames } from './fullest-names.ts';
import { decisionsOf } from './kept-decisions.ts';
import { type DerivedIds, derivedFrom, removeUnsupported } from './unsupported.ts';
import { vetoesOf, writeVetoes } from './veto-rows.ts';
import { type WrittenBefore, writtenBefore } from './written-before.ts';

export class SqlDerivationWriter extends SqlDerivationReader implements DerivationWriter {
  readonly #keywords: KeywordWriter;

  constructor(db: UserDatabase, { keywords }: { readonly keywords: KeywordWriter }) {
    super(db);
    this.#keywords = keywords;
  }

  async replace(versions: readonly DerivedVersion[], at: EpochMs): Promise<void> {
    if (versions.length === 0) return;
    const docs = versions.map(({ doc }) => doc);
    const before = await writtenBefore(this.db, docs);
    await nextRev(this.db, { documents: 0, terms: 0 }, ...derivedIn(before));
    const decisions = await decisionsOf(this.db, before);
    const docsThat = (is: (version: WrittenBefore) => boolean) => before.filter(is).map(({ doc }) => doc);
    const former = await this.#removeFormer(docsThat(({ isDerived }) => isDerived));
    const vetoes = await vetoesOf(
      this.db,
      docsThat(({ hasVetoes }) => hasVetoes),
    );
    const kept = versions.map((version) => ({
      ...version,
      derived: withoutVetoed(version.derived, vetoes.get(version.doc) ?? []),
    }));
    const said = kept.map(({ doc, saidAt, derived }) => ({ doc, saidAt, ...derived }));
    const ids = await entityIds(
      this.db,
      said.flatMap(({ entities }) => entities),
      at,
    );
    await insertEntityMentions(this.db, said, ids);
    await showFullestNames(this.db, ids.all, at);
    await writeFacts({ db: this.db, keywords: this.#keywords }, said, ids, decisions, at);
    await writeTopics(this.db, kept, at);
    await this.#insertTimes(versions);
    await this.#insertDerivations(versions, at);
    if (former) await removeUnsupported(this.db, this.#keywords, former, false);
    await this.#deriveOlderAgain(kept, ids);
  }

  async propose(versions: readonly ProposedVersion[], at: EpochMs): Promise<void> {
    if (versions.length === 0) return;
    const docs = versions.map(({ doc }) => doc);
    const before = await writtenBefore(this.db, docs);
    await nextRev(this.db, { documents: 0, terms: 0 }, ...derivedIn(before));
    const decisions = await decisionsOf(this.db, before);
    const former = await removeProposals(this.db, docs);
    const said = versions.map(({ doc, saidAt, proposals }) => ({
      doc,
      saidAt,
      facts: proposals.facts,
      entities: [...proposals.entities, ...proposals.derivedEntities],
    }));
    const ids = await entityIds(
      this.db,
      // Only derivation makes names certain.
      said.flatMap(({ entities }) => entities.map((entity) => ({ ...entity, isCertain: false }))),
      at,
      ({ foundBy }) => foundBy === proposedBy.entity,
    );
    const proposed = versions.map(({ doc, proposals }) => ({ doc, entities: proposals.entities }));
    await insertEntityMentions(this.db, proposed, ids);
    await writeFacts({ db: this.db, keywords: this.#keywords }, said, ids, decisions, at);
    const vetoed = await writeVetoes(this.db, versions);
    const { entities, facts } = former;
    await removeUnsupported(
      this.db,
      this.#keywords,
      {
        entities: [...entities, ...vetoed.entities],
        facts: [...facts, ...vetoed.facts],
        topics: vetoed.topics,
      },
      false,
    );
  }

  async deriveAgain(docs: readonly number[], entityId: string): Promise<void> {
    const { tables } = this.db;
    for (const chunk of chunksOf(docs)) {
      const mentioning = tables.selectFrom('entity_mentions').select('doc').where('entity_id', '=', entityId);
      const derived = tables.selectFrom('derivations').select('doc').where('doc', 'in', chunk);
      const rows = await derived.where('doc', 'not in', mentioning).execute();
      await recordOlderWork(
        this.db,
        deriveStepKey,
        rows.map(({ doc }) => doc),
      );
    }
  }

  async #insertTimes(versions: readonly DerivedVersion[]): Promise<void> {
    const rows = versions.flatMap(({ doc, derived }) =>
      derived.times.map(({ from, to }) => ({ doc, from_at: from, to_at: to })),
    );
    for (const chunk of chunksOf(rows)) await this.db.tables.insertAll('named_times', chunk).execute();
  }

  async #insertDerivations(versions: readonly DerivedVersion[], at: EpochMs): Promise<void> {
    const rows = versions.map(({ doc, derived }) => ({
      doc,
      version: deriveStepKey.version,
      is_english: derived.isEnglish ? 1 : 0,
      skip_reason: derived.skipReason,
      derived_at: at,
    }));
    for (const chunk of chunksOf(rows)) await this.db.tables.insertAll('derivations', chunk).execute();
  }

  /**
   * Removes the former derivation of these versions, except for the entities, facts and
   * topics themselves, and except for proposals of an LLM, which their own step replaces.
   */
  async #removeFormer(derived: readonly number[]): Promise<DerivedIds | undefined> {
    if (derived.length === 0) return undefined;
    const { tables } = this.db;
    const former = await derivedFrom(this.db, derived);
    for (const chunk of chunksOf(derived)) {
      await tables.deleteFrom('derivations').where('doc', 'in', chunk).execute();
      const mentions = tables.deleteFrom('entity_mentions').where('found_by', '!=', proposedBy.entity);
      await mentions.where('doc', 'in', chunk).execute();
      const facts = tables.deleteFrom('fact_mentions').where('basis', '!=', proposedBy.fact);
      await facts.where('doc', 'in', chunk).execute();
      await tables.deleteFrom('derived_topics').where('doc', 'in', chunk).execute();
      await tables.deleteFrom('named_times').where('doc', 'in', chunk).execute();
    }
    return former;
  }

  /** Derives again the older versions whose text has a newly certain name that they do not mention yet. */
  async #deriveOlderAgain(versions: readonly DerivedVersion[], ids: EntityIds): Promise<void> {
    for (const { derived } of versions)
      for (const entity of derived.entities.filter((each) => ids.newlyCertain.has(ids.of(each))))
        await this.deriveAgain(entity.olderDocs ?? [], ids.of(entity));
  }
}

const derivedTables = [
  'entity_mentions',
  'fact_mentions',
  'derived_topics',
  'named_times',
  'vetoes',
  'edge_candidates',
] as const;

/**
 * Copies the derivation of a version to the next one, which has the same text,
 * so that nothing is missing until that is derived again. @returns false if the
 * version before is not derived, or was derived by an older version of the step
 */
export async function copyDerivation(db: UserDatabase, before: number, doc: number): Promise<boolean> {
  const { tables } = db;
  const derivation = await tables
    .selectFrom('derivations')
    .select(['version', 'is_english', 'skip_reason', 'derived_at'])
    .where('doc', '=', before)
    .where('version', '=', deriveStepKey.version)
    .executeTakeFirst();
  if (!derivation) return false;
  await tables.insertInto('derivations', { ...derivation, doc }).execute();
  for (const table of derivedTables) {
    const rows = await tables
      .selectFrom(table as 'derived_topics')
      .selectAll(table as 'derived_topics')
      .where('doc', '=', before)
      .execute();
    const copies = rows.map((row) => ({ ...row, doc, ...(table === 'fact_mentions' && { outdated: 0 }) }));
    if (copies.length > 0) await tables.insertAll(table as 'derived_topics', copies).execute();
  }
  await markOutdated(db, [doc]);
  return true;
}

/** Removes the proposals of an LLM for these versions, except for the entities and facts themselves. */
async function removeProposals({ tables }: UserDatabase, docs: readonly number[]): Promise<DerivedIds> {
  const [entities, facts] = [new Set<string>(), new Set<string>()];
  for (const chunk of chunksOf(docs)) {
    const mentions = tables
      .deleteFrom('entity_mentions')
      .where('doc', 'in', chunk)
      .where('found_by', '=', proposedBy.entity)
      .returning('entity_id');
    for (const { entity_id } of await mentions.execute()) entities.add(entity_id);
    const said = tables
      .deleteFrom('fact_mentions')
      .where('doc', 'in', chunk)
      .where('basis', '=', proposedBy.fact)
      .returning('fact_id');
    for (const { fact_id } of await said.execute()) facts.add(fact_id);
  }
  return { entities: [...entities], facts: [...facts], topics: [] };
}

const byNames = listQuery((tables, names: readonly string[]) =>
  tables.selectFrom('topics').select(['id', 'normalized_name']).where('normalized_name', 'in', names),
);

/**
 * Writes the derived topics of versions. If the user has
 * a topic of this name, from a client or not, it is used.
 */
async function writeTopics(
  db: UserDatabase,
  versions: readonly DerivedVersion[],
  at: EpochMs,
): Promise<void> {
  const names = new Map<string, string>();
  for (const { derived } of versions)
    for (const { name } of derived.topics) {
      const key = normaliseTopicName(name);
      if (!names.has(key)) names.set(key, name);
    }
  if (names.size === 0) return;
  const ids = await topicIds(db, names, at);
  const rows = new Map(
    versions.flatMap(({ doc, derived }) =>
      derived.topics.flatMap(({ name, score }) => {
        const id = ids.get(normaliseTopicName(name));
        return id === undefined ? [] : [[`${id} ${doc}`, { topic_id: id, doc, score }] as const];
      }),
    ),
  );
  for (const chunk of chunksOf([...rows.values()]))
    await db.tables.insertAll('derived_topics', chunk).execute();
}

/** Ids of topics by normalised name; inserts those that are missing. */
async function topicIds(
  db: UserDatabase,
  names: ReadonlyMap<string, string>,
  at: EpochMs,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const chunk of chunksOf([...names.keys()]))
    for (const { id, normalized_name } of await db.all(byNames(chunk.length), listArguments(chunk)))
      ids.set(normalized_name, id);
  const fresh = [...names].filter(([normalized]) => !ids.has(normalized));
  const rows = fresh.map(([normalized, name]) => {
    const id = randomUUID();
    ids.set(normalized, id);
    return { id, name, normalized_name: normalized, canonical_id: id, created_at: at, updated_at: at };
  });
  const words = rows.flatMap(({ id, name }) => topicWords(name).map((word) => ({ word, topic_id: id })));
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('topics', chunk).execute();
  for (const chunk of chunksOf(words)) await db.tables.insertAll('topic_words', chunk).execute();
  return ids;
}

/** The memories whose current version is one of these. */
function derivedIn(versions: readonly WrittenBefore[]): ChangedRecord[] {
  const ids = versions.flatMap(({ isCurrent, memoryId }) => (isCurrent ? [memoryId] : []));
  return ids.sort().map((id) => ({ kind: 'memory', action: 'derived', id }));
}
