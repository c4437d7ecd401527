import type { FactOfMemory } from '../../domain/facts/fact.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { nearRecords, type ShortTexts } from '../../search-index/vectors/short-texts.ts';
import type { SearchPlan } from '../query/plan.ts';
import { documentScores, inverseDocumentFrequency } from '../scores/bm25.ts';
import { fuseRecords } from '../scores/words-and-similarity.ts';
import type { Arm, ArmContext } from './arm.ts';
import type { FoundSignal, Scale, Signal, SignalSpec } from './signal.ts';

export const fact: SignalSpec = {
  name: 'fact',
  group: 'fact',
  via: 'fact',
  lacks: 'It states no fact that matches the query.',
  parts: { self: 'a fact that it states' },
};

/** Memories that state matching facts, with these facts, best first. */
export interface FactSignal extends FoundSignal {
  /** By row; docs of facts in the keyword index. */
  readonly factsOf: ReadonlyMap<number, readonly number[]>;
  /** Facts that no memory states, the best first: they match without having a row. */
  readonly withoutMemory: readonly FactOfMemory[];
}

export function isFactSignal(signal: Signal): signal is FactSignal {
  return 'factsOf' in signal;
}

/** Maximum facts without a memory in a response. */
const withoutMemoryMax = 20;

/** Maximum facts that a search for facts (`mode=facts`) finds; any number of memories may state each. */
const factsMax = 5000;

export interface FactArmDeps {
  /** Undefined: facts are compared by words only. */
  readonly shortTexts?: ShortTexts;
}

/**
 * Finds memories by facts. A search for facts uses all that match by words or similarity, like `POST
 * /api/facts/search`; as an addition to other arms, only the few with most of the query's words count.
 */
export function factArm({ shortTexts }: FactArmDeps): Arm {
  return {
    name: 'fact',
    signals: [fact],
    isAsked: ({ mode, factors }) => mode === 'facts' || factors.fact !== undefined,
    run: async ({ plan, reader, view }) => {
      const facts =
        plan.mode === 'facts'
          ? await allFacts(plan, reader, shortTexts)
          : await bestFactsByWords(plan.terms, reader, view);
      return facts.length === 0 ? [] : [await factSignal(facts, plan, reader, view)];
    },
  };
}

async function allFacts(
  { method, query, terms, threshold }: SearchPlan,
  reader: IndexReader,
  shortTexts: ShortTexts | undefined,
): Promise<RankedFact[]> {
  const all = everyFactOf(reader);
  const words = await documentScores(all, 'fact', method === 'semantic' ? [] : terms);
  const near = method === 'keyword' ? [] : await nearRecords(shortTexts, all, { kind: 'fact', query });
  return fuseRecords(words, near, threshold).slice(0, factsMax);
}

/** Reads facts including those without a live memory: at an earlier time another version may state them. */
function everyFactOf(reader: IndexReader) {
  const { facts } = reader;
  return {
    postings: (kind: 'fact', terms: readonly string[]) => reader.postings(kind, terms),
    statistics: (kind: 'fact') => reader.statistics(kind),
    liveDocuments: (_: 'fact', docs: readonly number[]) => facts.documents(docs),
    recordTexts: (_: 'fact', limit: number) => facts.texts(limit),
  };
}

async function factSignal(
  ranked: readonly RankedFact[],
  { explain, mode, filter: { asOf, includeSuperseded } }: SearchPlan,
  { facts: reader }: Pick<ArmContext['reader'], 'facts'>,
  view: IndexView,
): Promise<FactSignal> {
  const docs = ranked.map(({ doc }) => doc);
  const scoreOf = new Map(ranked.map(({ doc, score }) => [doc, score]));
  const stated = new Map<number, number[]>();
  const sourced = new Set<number>();
  for (const { doc, factDoc, knownSince, isOutdated } of await reader.versionsOf(docs)) {
    sourced.add(factDoc);
    if (isOutdated === 1 && !includeSuperseded) continue;
    if (asOf !== undefined && knownSince > asOf) continue;
    const row = view.index.rowOf(doc);
    if (row < 0 || !view.isVisible(row)) continue;
    const others = stated.get(row);
    if (!others) stated.set(row, [factDoc]);
    else if (!others.includes(factDoc)) others.push(factDoc);
  }
  const score = (factDoc: number) => scoreOf.get(factDoc) ?? 0;
  const scores = view.arrays.numbers(view.size + 1);
  for (const [row, facts] of stated) {
    facts.sort((a, b) => score(b) - score(a) || b - a);
    scores[row] = score(facts[0]);
  }
  const texts = explain ? await reader.byDoc(docs, asOf) : new Map<number, FactOfMemory>();
  const factsAmong = async (alone: readonly number[]) => {
    const first = alone.slice(0, withoutMemoryMax);
    const byDoc = first.length > 0 ? await reader.byDoc(first, asOf) : new Map<number, FactOfMemory>();
    return first.flatMap((doc) => byDoc.get(doc) ?? []);
  };
  return {
    spec: fact,
    factsOf: stated,
    withoutMemory: mode === 'facts' ? await factsAmong(docs.filter((doc) => !sourced.has(doc))) : [],
    rows: [...stated.keys()],
    scores,
    scale: () => unscaled,
    measureOf: (row) => (scores[row] > 0 ? scores[row] : null),
    explain: (page) => page.map((row) => evidenceOf(stated.get(row), texts)),
  };
}

/** No scaling: the score is the share of the query that the fact matches. */
const unscaled: Scale = { perWeight: 1, perScore: 1, best: 1, unit: 1 };
const shownMax = 3;

function evidenceOf(facts: readonly number[] | undefined, texts: ReadonlyMap<number, FactOfMemory>) {
  if (!facts) return undefined;
  const said = facts
    .slice(0, shownMax)
    .flatMap((doc) => texts.get(doc) ?? [])
    .map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`)
    .join('; ');
  return {
    rank: null,
    reasonRank: 5,
    describe: () => ({ reason: `States that ${said}.`, notes: [`fact: ${said}`] }),
  };
}

/** A fact by its doc in the keyword index; the score is above 0 and at most 1. */
interface RankedFact {
  readonly doc: number;
  readonly score: number;
}

const bestFactsMax = 200;
/** Minimum share of the query, weighted by idf, of a fact that adds memories to a search. */
const shareMin = 0.4;

/** The facts with the largest share of the query's words, best first; from postings alone, for speed. */
async function bestFactsByWords(
  terms: readonly string[],
  reader: Pick<IndexReader, 'postings'>,
  { index }: IndexView,
): Promise<RankedFact[]> {
  if (terms.length === 0) return [];
  const scores = new Map<number, number>();
  let whole = 0;
  for (const { docs } of await reader.postings('fact', terms)) {
    // There are about as many facts as memories; a count would take longer than the rest.
    const idf = inverseDocumentFrequency(Math.max(index.documents, docs.length), docs.length);
    whole += idf;
    for (const doc of docs) scores.set(doc, (scores.get(doc) ?? 0) + idf);
  }
  return [...scores]
    .map(([doc, score]) => ({ doc, score: score / whole }))
    .filter(({ score }) => score >= shareMin)
    .sort((a, b) => b.score - a.score || b.doc - a.doc)
    .slice(0, bestFactsMax);
}
