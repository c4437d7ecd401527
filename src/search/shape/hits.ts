import type { Memory } from '../../domain/memories/memory.ts';
import { Breather } from '../../lib/loop-time.ts';
import { dateWordsAmong } from '../../search-index/analysis/date-terms.ts';
import type { AnalyzeWithOffsets } from '../../search-index/ports.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import { words } from '../arms/keyword-arm.ts';
import { semantic } from '../arms/semantic-arm.ts';
import { type Evidence, type FoundSignal, isFound } from '../arms/signal.ts';
import type { FoundPassages } from '../passages/find-passages.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { TermExpansion } from '../query/words/expand-query.ts';
import type { MatchedPhrase } from '../query/words/quoted-phrases.ts';
import type { Fused } from '../rank/fuse/fuse.ts';
import type { Summand } from '../rank/fuse/summands.ts';
import { isOfItself } from '../rank/network/network-rescorer.ts';
import type { Explanation, SearchHit } from '../request.ts';
import {
  browsed,
  type Contribution,
  expansionNotes,
  explain,
  type Matched,
  versionOfMatch,
} from './explanation.ts';
import {
  densestStart,
  highlightsOf,
  type MatchedWord,
  matchedInMemory,
  matchedWords,
} from './matched-words.ts';
import { previewLead, previewLengthMax, previewOf } from './preview.ts';

export interface HitsInput {
  readonly plan: SearchPlan;
  readonly index: UserIndex;
  /** How the query was read; absent when browsing, as is `fused`. */
  readonly asked:
    | {
        readonly expansions: readonly TermExpansion[];
        readonly phrases: readonly MatchedPhrase[];
        readonly passages: FoundPassages;
      }
    | undefined;
  readonly fused: Fused | undefined;
  /** Rows of the page, in order. */
  readonly page: readonly number[];
  /** Relevance by index on the page; absent when browsing. */
  readonly relevance: Float64Array | undefined;
  /** Rows of the page that are matches; absent if all are. */
  readonly matches?: ReadonlySet<number>;
  /** Memories of the page, in the same order; those erased since are missing. */
  readonly memories: readonly Memory[];
}

/** Makes the hit of each memory of the page from the results of the arms, without another search. */
export async function shapeHits(
  input: HitsInput,
  analyzeWithOffsets: AnalyzeWithOffsets,
): Promise<SearchHit[]> {
  const toHit = hitShaper(input, analyzeWithOffsets);
  const hits: SearchHit[] = [];
  const breather = new Breather();
  for (const memory of input.memories) {
    // Finding words in a long text takes milliseconds.
    const pause = breather.pause();
    if (pause) await pause;
    const hit = toHit(memory);
    if (hit) hits.push(hit);
  }
  return hits;
}

function hitShaper(
  input: HitsInput,
  analyzeWithOffsets: AnalyzeWithOffsets,
): (memory: Memory) => SearchHit | undefined {
  const { plan, index, asked, fused, page, relevance, matches } = input;
  const places = new Map(page.map((row, place) => [index.columns.docs[row], { row, place }]));
  const shown = fused && new RankedPage(fused, page);
  const expansions = asked?.expansions ?? [];
  const terms = new Set([...plan.terms, ...expansions.flatMap((expansion) => expansion.terms)]);
  return (memory) => {
    const at = places.get(memory.doc);
    if (!at) return undefined;
    const isCut = memory.content.length > previewLengthMax;
    const passages = asked?.passages.of(at.row)?.shown;
    const isSought = terms.size > 0 && (plan.explain || isCut);
    const inText = isSought ? matchedInMemory(memory, terms, analyzeWithOffsets, passages) : [];
    const start = densestStart(inText, previewLengthMax - previewLead) ?? passages?.[0].start;
    const isMatch = matches?.has(at.row) ?? true;
    const ranking = isMatch && shown ? shown.of(at.row, at.place) : listed(isMatch);
    // All members are listed: spreading two objects for each hit took longer than the rest of it.
    return {
      memory,
      preview: previewOf(memory.content, start),
      passages,
      highlights: inText.length > 0 ? highlightsOf(inText) : undefined,
      score: ranking.score,
      relevance: isMatch ? (relevance?.[at.place] ?? null) : null,
      fulltextScore: ranking.fulltextScore,
      fulltextRank: ranking.fulltextRank,
      vectorScore: ranking.vectorScore,
      vectorRank: ranking.vectorRank,
      matchedVia: ranking.matchedVia,
      branchScores: ranking.branchScores,
      explanation: plan.explain
        ? ranking.explain({
            matchedTerms: wordsMatched(memory, inText, terms, plan.notDates, analyzeWithOffsets),
            notes: expansionNotes(inText, expansions, asked?.phrases ?? []),
          })
        : undefined,
    };
  };
}

/** Matched words of the text, then of the name and the topics, then of the event date, each once. */
function wordsMatched(
  { name, topics, eventTime }: Memory,
  ofText: readonly MatchedWord[],
  terms: ReadonlySet<string>,
  notDates: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
): string[] {
  const ofNames = matchedWords([name ?? '', ...topics].join('\n'), terms, analyzeWithOffsets);
  const dated = new Set([...terms].filter((term) => !notDates.has(term)));
  const ofDate = eventTime === null ? [] : dateWordsAmong(eventTime, dated);
  return [...new Set([...[...ofText, ...ofNames].map(({ word }) => word), ...ofDate])];
}

interface Ranking
  extends Omit<
    SearchHit,
    'memory' | 'preview' | 'passages' | 'highlights' | 'relevance' | 'explanation' | 'facts'
  > {
  readonly explain: (matched: Matched) => Explanation;
}

function listed(isMatch: boolean): Ranking {
  return {
    score: null,
    fulltextScore: null,
    fulltextRank: null,
    vectorScore: null,
    vectorRank: null,
    branchScores: {},
    matchedVia: isMatch ? [] : ['version'],
    explain: () => (isMatch ? browsed : versionOfMatch),
  };
}

/** Whether a summand is of the memory's own words: explanations state these, and name another helper. */
function isOwnWords({ signal, part }: Pick<Summand, 'signal' | 'part'>): boolean {
  return (signal === words.name && part === 'self') || isOfItself(signal);
}

/** A signal that found rows, with its evidence for each row of the page. */
interface ExplainedSignal {
  readonly signal: FoundSignal;
  readonly evidence: readonly (Evidence | undefined)[];
}

/** Explanations of the memories of a page: ranks and contributions are computed for all of them at once. */
class RankedPage {
  readonly #fused: Fused;
  readonly #signals: readonly ExplainedSignal[];
  /** Contribution of each summand, memory by memory of the page. */
  readonly #values: Float64Array;

  constructor(fused: Fused, page: readonly number[]) {
    this.#fused = fused;
    this.#signals = fused.signals
      .filter(isFound)
      .map((signal) => ({ signal, evidence: signal.explain(page) }));
    this.#values = fused.valuesOf(page);
  }

  of(row: number, place: number): Ranking {
    const { scores } = this.#fused;
    const ways: string[] = [];
    const all: Evidence[] = [];
    let fulltextScore: number | null = null;
    let fulltextRank: number | null = null;
    let vectorScore: number | null = null;
    let vectorRank: number | null = null;
    for (const { signal, evidence } of this.#signals) {
      const own = evidence[place];
      if (own === undefined) continue;
      all.push(own);
      const { name, via } = signal.spec;
      if (via !== undefined) ways.push(via);
      if (name === words.name) {
        fulltextScore = signal.measureOf(row);
        fulltextRank = own.rank;
      } else if (name === semantic.name) {
        vectorScore = signal.measureOf(row);
        vectorRank = own.rank;
      }
    }
    return {
      score: Math.max(0, scores[row]),
      fulltextScore,
      fulltextRank,
      vectorScore,
      vectorRank,
      matchedVia: ways.length > 0 ? ways : ['conversation'],
      branchScores: this.#branchScores(place),
      explain: (matched) => explain(matched, all, this.#contributions(place)),
    };
  }

  /** Contribution of each group of signals, in units of the score. */
  #branchScores(place: number): Record<string, number> {
    const { groups, summands } = this.#fused;
    const scores: Record<string, number> = {};
    for (const group of groups) scores[group] = 0;
    for (let f = 0; f < summands.length; f++)
      scores[summands[f].group] += this.#values[place * summands.length + f];
    return scores;
  }

  #contributions(place: number): Contribution[] {
    const { summands } = this.#fused;
    return summands.map((summand, f) => ({
      key: `${summand.signal}.${summand.part}`,
      label: summand.phrase,
      isOwnWords: isOwnWords(summand),
      value: this.#values[place * summands.length + f],
    }));
  }
}
