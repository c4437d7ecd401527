import type { Memory } from '../../domain/memories/memory.ts';
import { Breather } from '../../lib/breather.ts';
import { dateWordsAmong } from '../analysis/date-terms.ts';
import { words } from '../arms/keyword-arm.ts';
import { semantic } from '../arms/semantic-arm.ts';
import type { TermExpansion } from '../expand/expand-query.ts';
import type { MatchedPhrase } from '../expand/match-phrases.ts';
import type { Contribution } from '../fuse/features.ts';
import type { Fused } from '../fuse/fuse.ts';
import { type Evidence, type FoundSignal, isFound } from '../fuse/signal.ts';
import type { UserIndex } from '../index/user-index.ts';
import type { SearchPlan } from '../plan.ts';
import type { AnalyzeWithOffsets } from '../ports.ts';
import type { Explanation, SearchHit } from '../request.ts';
import { expansionNotes } from './expansion-notes.ts';
import { browsed, explain, type Matched, versionOfMatch } from './explanation.ts';
import { firstMatch, type MatchedWord, matchedWords } from './matched-words.ts';
import { previewLengthMax, previewOf } from './preview.ts';

export interface HitsInput {
  readonly plan: SearchPlan;
  readonly index: UserIndex;
  /** How the query was read; absent when browsing, as is `fused`. */
  readonly asked:
    | { readonly expansions: readonly TermExpansion[]; readonly phrases: readonly MatchedPhrase[] }
    | undefined;
  readonly fused: Fused | undefined;
  /** Rows of the page, in order. */
  readonly page: readonly number[];
  /** Of these the matches, where not all are. */
  readonly matches?: ReadonlySet<number>;
  /** Their memories, in the same order; one erased meanwhile is missing. */
  readonly memories: readonly Memory[];
}

/** What a search answers for each memory of the page; formats what the arms kept and searches nothing again. */
export async function shapeHits(
  input: HitsInput,
  analyzeWithOffsets: AnalyzeWithOffsets,
): Promise<SearchHit[]> {
  const toHit = hitShaper(input, analyzeWithOffsets);
  const hits: SearchHit[] = [];
  const breather = new Breather();
  for (const memory of input.memories) {
    // Finding the words of a long text takes milliseconds.
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
  const { plan, index, asked, fused, page, matches } = input;
  const places = new Map(page.map((row, place) => [index.columns.docs[row], { row, place }]));
  const found = fused ? fused.signals.filter(isFound).map((signal) => explained(signal, page)) : [];
  const expansions = asked?.expansions ?? [];
  const terms = new Set([...plan.terms, ...expansions.flatMap((expansion) => expansion.terms)]);
  return (memory) => {
    const at = places.get(memory.doc);
    if (!at) return undefined;
    const inText = plan.explain ? matchedWords(memory.content, terms, analyzeWithOffsets) : [];
    const isSought = !plan.explain && terms.size > 0 && memory.content.length > previewLengthMax;
    const start = isSought ? firstMatch(memory, terms, analyzeWithOffsets) : inText[0]?.start;
    const isMatch = matches?.has(at.row) ?? true;
    const ranking = isMatch && fused ? ranked(fused, found, at) : listed(isMatch);
    // Written out: spreading two objects for each hit took longer than all the rest of it.
    return {
      memory,
      preview: previewOf(memory.content, start),
      score: ranking.score,
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

/** A signal, and for each place of the page why it found the memory. */
interface ExplainedSignal {
  readonly signal: FoundSignal;
  readonly evidence: readonly (Evidence | undefined)[];
}

function explained(signal: FoundSignal, page: readonly number[]): ExplainedSignal {
  return { signal, evidence: signal.explain(page) };
}

/** Words of the text, then of the name and the topics, then of the event date, each once. */
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

interface Ranking extends Omit<SearchHit, 'memory' | 'preview' | 'explanation' | 'facts'> {
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

interface OnPage {
  readonly row: number;
  readonly place: number;
}

function ranked(fused: Fused, signals: readonly ExplainedSignal[], { row, place }: OnPage): Ranking {
  const found = signals.flatMap(({ signal, evidence }) => {
    const own = evidence[place];
    return own ? [{ signal, evidence: own }] : [];
  });
  const of = (name: string) => found.find(({ signal }) => signal.name === name);
  const [byWords, byVector] = [of(words.name), of(semantic.name)];
  const contributions = fused.contributionsOf?.(row) ?? [
    {
      signal: words.name,
      part: 'self' as const,
      group: words.group,
      phrase: words.parts.self ?? '',
      value: fused.scores[row],
    },
  ];
  const ways = found.flatMap(({ signal: { via } }) => via ?? []);
  return {
    score: Math.max(0, fused.scores[row]),
    fulltextScore: byWords?.signal.measureOf(row) ?? null,
    fulltextRank: byWords?.evidence.rank ?? null,
    vectorScore: byVector?.signal.measureOf(row) ?? null,
    vectorRank: byVector?.evidence.rank ?? null,
    matchedVia: ways.length > 0 ? ways : ['conversation'],
    branchScores: branchScores(fused.groups, contributions),
    explain: (matched) =>
      explain(
        matched,
        found.map(({ evidence }) => evidence),
        contributions,
      ),
  };
}

/** What each group of signals gave, in units of the score. */
function branchScores(
  groups: readonly string[],
  contributions: readonly Contribution[],
): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const group of groups) scores[group] = 0;
  for (const { group, value } of contributions) scores[group] += value;
  return scores;
}
