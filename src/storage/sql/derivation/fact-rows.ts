import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DerivedEntity, DerivedFact } from '../../../domain/derivation/derived.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { markOutdated } from '../facts/outdated-mentions.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { type EntityIds, proposedBy } from './entity-rows.ts';
import { type Decisions, decisionsOf, type FactMention, keepDecisions } from './kept-decisions.ts';
import { writtenBefore } from './written-before.ts';

interface FactRowDeps {
  readonly db: UserDatabase;
  readonly keywords: KeywordWriter;
}

const byKeys = listQuery((tables, keys: readonly string[]) =>
  tables
    .selectFrom('facts')
    .select(['id', 'fact_key'])
    .where('fact_key', 'in', keys)
    .$narrowType<{ fact_key: string }>(),
);

/** Facts and entities derived from a version. */
interface FactsOfVersion {
  readonly doc: number;
  readonly saidAt: EpochMs;
  readonly facts: readonly DerivedFact[];
  /** The entities that the facts refer to by index. */
  readonly entities: readonly DerivedEntity[];
}

/** A fact with a version that states it. */
interface Said {
  readonly fact: DerivedFact;
  readonly version: FactsOfVersion;
}

/**
 * Writes the facts of versions; a fact whose key is known gets another source. If
 * the rules and an LLM find the same fact in a version, that of the rules stays.
 */
export async function writeFacts(
  deps: FactRowDeps,
  versions: readonly FactsOfVersion[],
  entities: EntityIds,
  decisions: Decisions,
  at: EpochMs,
): Promise<void> {
  const decided = await keepDecisions(deps.db, versions, decisions);
  await keepMentions(deps.db, decided.kept);
  const said = decided.versions.flatMap((version) => version.facts.map((fact): Said => ({ fact, version })));
  if (said.length === 0) return;
  const ids = await factIds(deps, said, at);
  const mentions = said.map(({ fact, version }) => ({
    fact_id: idIn(ids, fact),
    doc: version.doc,
    start_at: fact.start,
    end_at: fact.end,
    basis: fact.basis,
    confidence: fact.confidence,
    speaker: fact.speaker,
    said_time: fact.time,
    outdated: 0,
  }));
  for (const chunk of chunksOf(mentions))
    await deps.db.tables
      .insertAll('fact_mentions', chunk)
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'fact_id', 'doc'])
          .doUpdateSet(({ ref }) => ({
            start_at: ref('excluded.start_at'),
            end_at: ref('excluded.end_at'),
            basis: ref('excluded.basis'),
            confidence: ref('excluded.confidence'),
            speaker: ref('excluded.speaker'),
            said_time: ref('excluded.said_time'),
          }))
          .where('excluded.basis', '!=', proposedBy.fact),
      )
      .execute();
  await markOutdated(
    deps.db,
    versions.map(({ doc }) => doc),
  );
  await linkEntities(deps.db, said, ids, entities);
  await weighFacts(deps.db, [...new Set(ids.values())]);
}

/** Keeps a person's corrections of the facts of a memory until its new version is derived. */
export async function keepCorrections(db: UserDatabase, doc: number): Promise<void> {
  const { kept } = await keepDecisions(
    db,
    [{ doc, facts: [] }],
    await decisionsOf(db, await writtenBefore(db, [doc])),
  );
  await keepMentions(db, kept);
}

/**
 * Writes mentions of facts that a person corrected or deleted; a derived mention of the same fact is kept.
 */
async function keepMentions(db: UserDatabase, mentions: readonly FactMention[]): Promise<void> {
  for (const chunk of chunksOf(mentions))
    await db.tables
      .insertAll(
        'fact_mentions',
        chunk.map((mention) => ({ ...mention, outdated: 0 })),
      )
      .onConflict((conflict) => conflict.columns(['user_id', 'fact_id', 'doc']).doNothing())
      .execute();
}

function idIn(ids: ReadonlyMap<string, string>, { key }: DerivedFact): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error('A fact was not written.');
  return id;
}

/** Ids of facts by key; inserts those that are missing. */
async function factIds(deps: FactRowDeps, said: readonly Said[], at: EpochMs): Promise<Map<string, string>> {
  const first = new Map<string, Said>();
  for (const each of said) if (!first.has(each.fact.key)) first.set(each.fact.key, each);
  const ids = new Map<string, string>();
  for (const chunk of chunksOf([...first.keys()]))
    for (const { id, fact_key } of await deps.db.all(byKeys(chunk.length), listArguments(chunk)))
      ids.set(fact_key, id);
  const fresh = [...first.values()].filter(({ fact }) => !ids.has(fact.key));
  for (const { fact } of fresh) ids.set(fact.key, randomUUID());
  if (fresh.length > 0) await insertFacts(deps, fresh, ids, at);
  return ids;
}

async function insertFacts(
  { db, keywords }: FactRowDeps,
  fresh: readonly Said[],
  ids: ReadonlyMap<string, string>,
  at: EpochMs,
): Promise<void> {
  const docs = await keywords.someDocs(fresh.length);
  const rows = [];
  for (const [i, { fact, version }] of fresh.entries()) {
    const doc = docs[i];
    rows.push({
      id: idIn(ids, fact),
      subject: fact.subject,
      predicate: fact.predicate,
      object: fact.object,
      confidence: fact.confidence,
      sourced: 1,
      extracted_at: at,
      created_at: version.saidAt,
      updated_at: version.saidAt,
      trashed_at: null,
      doc,
      term_count: fact.terms.length,
      fact_key: fact.key,
      negated: fact.isNegated ? 1 : 0,
      corrected: 0,
      external_id: null,
      import_id: null,
      import_digest: null,
      valid_from: null,
      valid_to: null,
    });
  }
  await keywords.addAll(
    'fact',
    fresh.map(({ fact: { terms } }, i) => ({ doc: docs[i], terms })),
  );
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('facts', chunk).execute();
}

async function linkEntities(
  db: UserDatabase,
  said: readonly Said[],
  ids: ReadonlyMap<string, string>,
  entities: EntityIds,
): Promise<void> {
  const links = new Map(
    said.flatMap(({ fact, version }) =>
      fact.entities.flatMap(({ index, role }) => {
        const entity_id = entities.find(version.entities[index]);
        if (entity_id === undefined) return [];
        const row = { entity_id, fact_id: idIn(ids, fact), role };
        return [[`${row.entity_id} ${row.fact_id} ${role}`, row] as const];
      }),
    ),
  );
  for (const chunk of chunksOf([...links.values()]))
    await db.tables
      .insertAll('fact_entities', chunk)
      .onConflict((conflict) => conflict.columns(['user_id', 'entity_id', 'fact_id', 'role']).doNothing())
      .execute();
}

/** Share of the doubt that remains after each further version that states a fact. */
const doubtLeft = 2 / 3;

/**
 * Recomputes the confidence of uncorrected facts from the
 * open versions that state them: more of them raise it.
 */
async function weighFacts(db: UserDatabase, ids: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    const rows = await db.tables
      .selectFrom('fact_mentions')
      .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
      .select(['fact_mentions.fact_id', sql<number>`max(fact_mentions.confidence)`.as('best')])
      .select(sql<number>`count(*)`.as('times'))
      .where('fact_mentions.fact_id', 'in', chunk)
      .where('memory_versions.closed_at', 'is', null)
      .groupBy('fact_mentions.fact_id')
      .execute();
    for (const { fact_id, best, times } of rows)
      await db.tables
        .updateTable('facts')
        .set({ confidence: 1 - (1 - best) * doubtLeft ** (Number(times) - 1) })
        .where('id', '=', fact_id)
        .where('corrected', '=', 0)
        .execute();
  }
}
