import type {
  DerivationWriter,
  DerivedVersion,
  ProposedVersion,
} from '../../../domain/derivation/derivation-store.ts';
import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { nextRev } from '../core/change-counter.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { recordOlderWork } from '../jobs/job-writer.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import { SqlDerivationReader } from './derivation-reader.ts';
import { type DerivedIds, derivedFrom, removeUnsupported } from './derived-from.ts';
import { type EntityIds, entityIds, insertEntityMentions } from './entity-rows.ts';
import { writeFacts } from './fact-rows.ts';
import { decisionsOf } from './kept-decisions.ts';
import { proposedBy, removeProposals } from './proposed-rows.ts';
import { writeTopics } from './topic-rows.ts';

export class SqlDerivationWriter extends SqlDerivationReader implements DerivationWriter {
  readonly #keywords: KeywordWriter;

  constructor(db: UserDatabase, { keywords }: { readonly keywords: KeywordWriter }) {
    super(db);
    this.#keywords = keywords;
  }

  async replace(versions: readonly DerivedVersion[], at: EpochMs): Promise<void> {
    if (versions.length === 0) return;
    await nextRev(this.db, { documents: 0, terms: 0 });
    const docs = versions.map(({ doc }) => doc);
    const decisions = await decisionsOf(this.db, docs);
    const former = await this.#removeFormer(docs);
    const said = versions.map(({ doc, saidAt, derived }) => ({ doc, saidAt, ...derived }));
    const ids = await entityIds(
      this.db,
      said.flatMap(({ entities }) => entities),
      at,
    );
    await insertEntityMentions(this.db, said, ids);
    await writeFacts({ db: this.db, keywords: this.#keywords }, said, ids, decisions, at);
    await writeTopics(this.db, versions, at);
    await this.#insertTimes(versions);
    await this.#insertDerivations(versions, at);
    if (former) await removeUnsupported(this.db, this.#keywords, former, false);
    await this.#deriveOlderAgain(versions, ids);
  }

  async propose(versions: readonly ProposedVersion[], at: EpochMs): Promise<void> {
    if (versions.length === 0) return;
    await nextRev(this.db, { documents: 0, terms: 0 });
    const docs = versions.map(({ doc }) => doc);
    const decisions = await decisionsOf(this.db, docs);
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
    await removeUnsupported(this.db, this.#keywords, former, false);
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
  async #removeFormer(docs: readonly number[]): Promise<DerivedIds | undefined> {
    const { tables } = this.db;
    const derived: number[] = [];
    for (const chunk of chunksOf(docs)) {
      const rows = tables.deleteFrom('derivations').where('doc', 'in', chunk).returning('doc');
      for (const { doc } of await rows.execute()) derived.push(doc);
    }
    if (derived.length === 0) return undefined;
    const former = await derivedFrom(this.db, derived);
    for (const chunk of chunksOf(derived)) {
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
