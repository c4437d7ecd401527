import type { DerivedFact } from '../../../domain/derivation/derived.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { nameKey } from '../../../lib/names.ts';
import type { FactMentionsTable } from '../core/derived-tables.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { WrittenBefore } from './written-before.ts';

export type FactMention = Omit<FactMentionsTable, 'user_id' | 'outdated'>;

/** A derived fact that a person corrected or deleted, with its mention in a version. */
interface Decision {
  readonly key: string;
  /** The words as derived, before the correction. */
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly isNegated: boolean;
  readonly mention: FactMention;
}

/** Decisions by the version that states the fact, and the previous version of each requested one. */
export interface Decisions {
  readonly byDoc: ReadonlyMap<number, readonly Decision[]>;
  readonly before: ReadonlyMap<number, number>;
}

/** A version of a batch with its facts: the fields that keeping decisions needs. */
interface Said {
  readonly doc: number;
  readonly facts: readonly DerivedFact[];
}

interface DecidedRow {
  readonly id: string;
  readonly fact_key: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly negated: number;
}

const decidedColumns = [
  'facts.id',
  'facts.fact_key',
  'facts.subject',
  'facts.predicate',
  'facts.object',
  'facts.negated',
] as const;

const decidedIn = listQuery<number, DecidedRow & FactMention>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select([...decidedColumns])
    .select(['fact_mentions.fact_id', 'fact_mentions.doc', 'fact_mentions.start_at', 'fact_mentions.end_at'])
    .select(['fact_mentions.basis', 'fact_mentions.confidence', 'fact_mentions.speaker'])
    .select('fact_mentions.said_time')
    .where('fact_mentions.doc', 'in', docs)
    .where('facts.fact_key', 'is not', null)
    .where((eb) => eb.or([eb('facts.corrected', '=', 1), eb('facts.trashed_at', 'is not', null)])),
);

const decidedWithKeys = listQuery<string, DecidedRow>((tables, keys) =>
  tables
    .selectFrom('facts')
    .select([...decidedColumns])
    .where('facts.fact_key', 'in', keys)
    .where((eb) => eb.or([eb('facts.corrected', '=', 1), eb('facts.trashed_at', 'is not', null)])),
);

/** Decisions of a person on facts of these versions and of the versions before them. */
export async function decisionsOf(db: UserDatabase, versions: readonly WrittenBefore[]): Promise<Decisions> {
  const before = new Map(versions.flatMap(({ doc, before: one }) => (one === null ? [] : [[doc, one]])));
  const stating = versions.filter(({ hasFacts }) => hasFacts).map(({ doc }) => doc);
  const rows: (DecidedRow & FactMention)[] = [];
  for (const chunk of chunksOf([...new Set([...stating, ...before.values()])]))
    rows.push(...(await db.all(decidedIn(chunk.length), listArguments(chunk))));
  const asDerived = await derivedWords(db, rows);
  const decisions = rows.map(
    ({ id, fact_key, subject, predicate, object, negated, ...mention }): Decision => ({
      ...(asDerived.get(id) ?? { subject, predicate, object }),
      key: fact_key,
      isNegated: negated === 1,
      mention,
    }),
  );
  return { byDoc: groupBy(decisions, ({ mention }) => mention.doc), before };
}

/**
 * Applies a person's decisions on facts to the next version of the memory as long as
 * it still has their words. A fact that the version derives from these words gets
 * the key of the decided one; without one, the decided fact is kept with the words.
 * @returns the versions with these keys, and the mentions to keep
 */
export async function keepDecisions<V extends Said>(
  db: UserDatabase,
  versions: readonly V[],
  { byDoc, before }: Decisions,
): Promise<{ readonly versions: readonly V[]; readonly kept: readonly FactMention[] }> {
  const inBatch = await decisionsInBatch(db, versions, before);
  if (byDoc.size === 0 && inBatch.size === 0) return { versions, kept: [] };
  const texts = await contentsOf(db, versions, before);
  const known = new Map(byDoc);
  const kept: FactMention[] = [];
  const decided = new Map<V, V>();
  for (const version of versions.toSorted((a, b) => a.doc - b.doc)) {
    const { doc } = version;
    const former = [...(known.get(before.get(doc) ?? doc) ?? []), ...(byDoc.get(doc) ?? [])];
    const next = keepInVersion(version, former, (mention) => placeOf(texts, mention, doc));
    const own = (inBatch.get(doc) ?? []).filter(({ key }) => next.said.every((each) => each.key !== key));
    known.set(doc, [...next.said, ...own]);
    kept.push(...next.kept);
    decided.set(version, { ...version, facts: next.facts });
  }
  return { versions: versions.map((version) => decided.get(version) ?? version), kept };
}

function keepInVersion(
  { doc, facts }: Said,
  former: readonly Decision[],
  placeOf: (mention: FactMention) => Place | undefined,
): {
  readonly facts: readonly DerivedFact[];
  readonly said: readonly Decision[];
  readonly kept: FactMention[];
} {
  const keys = new Set(former.map(({ key }) => key));
  const said = new Map<string, Decision>();
  const kept: FactMention[] = [];
  let next = facts;
  for (const decision of former) {
    const free = next.filter(({ key }) => !keys.has(key));
    const place = placeOf(decision.mention) ?? free.find((fact) => isMorePrecise(fact, decision));
    if (!place || said.has(decision.key)) continue;
    const mention = { ...decision.mention, doc, start_at: place.start, end_at: place.end };
    said.set(decision.key, { ...decision, mention });
    const inPlace = next.find(({ key }) => key === decision.key) ?? replacing(free, decision, place);
    // The place is that of the decision's words only, so that the next version needs no other words to keep
    // it.
    const { key } = decision;
    const { start, end } = place;
    if (inPlace) next = next.map((fact) => (fact === inPlace ? { ...fact, key, start, end } : fact));
    else kept.push(mention);
  }
  return { facts: next, said: [...said.values()], kept };
}

/** The first version of facts that were corrected since they were derived: the words as derived. */
async function derivedWords(db: UserDatabase, rows: readonly DecidedRow[]) {
  const words = new Map<string, Pick<DecidedRow, 'subject' | 'predicate' | 'object'>>();
  for (const chunk of chunksOf([...new Set(rows.map(({ id }) => id))]))
    for (const { fact_id, ...said } of await db.tables
      .selectFrom('fact_versions')
      .select(['fact_id', 'subject', 'predicate', 'object'])
      .where('fact_id', 'in', chunk)
      .orderBy('number', 'desc')
      .execute())
      words.set(fact_id, said);
  return words;
}

/**
 * Decided facts of those versions of the batch whose next version is in the batch too, as after an import.
 */
async function decisionsInBatch(
  db: UserDatabase,
  versions: readonly Said[],
  before: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, readonly Decision[]>> {
  const earlier = new Set(before.values());
  const followed = versions.filter(({ doc }) => earlier.has(doc));
  const rows = new Map<string, DecidedRow>();
  for (const chunk of chunksOf(followed.flatMap(({ facts }) => facts.map(({ key }) => key))))
    for (const row of await db.all(decidedWithKeys(chunk.length), listArguments(chunk)))
      rows.set(row.fact_key, row);
  if (rows.size === 0) return new Map();
  return new Map(
    followed.map(({ doc, facts }) => [
      doc,
      facts.flatMap((fact) => {
        const row = rows.get(fact.key);
        return row ? [toDecision(row, fact, doc)] : [];
      }),
    ]),
  );
}

function toDecision({ id }: DecidedRow, fact: DerivedFact, doc: number): Decision {
  const { key, subject, predicate, object, isNegated, start, end, basis, confidence, speaker, time } = fact;
  const mention = {
    fact_id: id,
    doc,
    start_at: start,
    end_at: end,
    basis,
    confidence,
    speaker,
    said_time: time,
  };
  return { key, subject, predicate, object, isNegated, mention };
}

async function contentsOf(
  db: UserDatabase,
  versions: readonly Said[],
  before: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  for (const chunk of chunksOf([...new Set([...versions.map(({ doc }) => doc), ...before.values()])]))
    for (const { doc, content } of await db.tables
      .selectFrom('memory_versions')
      .select(['doc', 'content'])
      .where('doc', 'in', chunk)
      .execute())
      texts.set(doc, content);
  return texts;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The first place in a version with the words of a mention; white space may differ. */
function placeOf(texts: ReadonlyMap<number, string>, mention: FactMention, doc: number): Place | undefined {
  const { start_at: start, end_at: end } = mention;
  const [own, former] = [texts.get(doc) ?? '', texts.get(mention.doc) ?? ''];
  const words = former.slice(start, end).trim();
  if (words === '') return undefined;
  const pattern = words
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\s+');
  const found = own.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'giu'));
  for (const { index, 0: said } of found)
    if (!isLongerName(said, own.slice(index + said.length)))
      return { start: index, end: index + said.length };
  return undefined;
}

/** Whether a name at the end of the words continues after them: "Porto Alegre" does not state "Porto". */
const isLongerName = (said: string, rest: string) =>
  /(?:^|\s)\p{Lu}\S*$/u.test(said) && /^[ \t]\p{Lu}/u.test(rest);

/**
 * Whether a fact has all words of a decided one and further ones in its object: "a small office" of "an office". The
 * words of a name tell other things apart: "Porto Alegre" is not "Porto".
 */
function isMorePrecise(fact: DerivedFact, decision: Decision): boolean {
  const words = (text: string) => text.split(/\s+/).filter((word) => !/^an?$/i.test(word));
  const isSame = (a: string, b: string) => nameKey(a) === nameKey(b);
  const said = new Set(words(decision.object).map(nameKey));
  const further = words(fact.object).filter((word) => !said.delete(nameKey(word)));
  return (
    said.size === 0 &&
    fact.isNegated === decision.isNegated &&
    isSame(fact.subject, decision.subject) &&
    isSame(fact.predicate, decision.predicate) &&
    further.every((word) => /^\p{Ll}/u.test(word))
  );
}

/** The fact derived from the words of a decided one, which it replaces. */
function replacing(facts: readonly DerivedFact[], decision: Decision, place: Place): DerivedFact | undefined {
  const same = (a: string, b: string) => nameKey(a) === nameKey(b);
  const said = ({ predicate, object }: DerivedFact | Decision) => `${predicate} ${object}`;
  const likely = facts.filter(
    (fact) =>
      fact.start < place.end &&
      place.start < fact.end &&
      fact.isNegated === decision.isNegated &&
      same(fact.subject, decision.subject),
  );
  return (
    likely.find(({ predicate }) => same(predicate, decision.predicate)) ??
    likely.find(({ object }) => same(object, decision.object)) ??
    likely.find((fact) => same(said(fact), said(decision)))
  );
}
