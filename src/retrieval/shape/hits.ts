import type { Memory } from '../../domain/memories/memory.ts';
import { Breather } from '../../lib/breather.ts';
import { dateWordsAmong } from '../analysis/date-terms.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { UserIndex } from '../index/user-index.ts';
import type { SearchPlan } from '../plan.ts';
import type { AnalyzeWithOffsets } from '../ports.ts';
import { ingredients } from '../rank/in-conversation.ts';
import { ranksAmong } from '../rank/order.ts';
import type { SearchHit } from '../request.ts';
import { expansionNotes } from './expansion-notes.ts';
import { browsed, explain, toldOfMatch } from './explanation.ts';
import { firstMatch, type MatchedWord, matchedWords } from './matched-words.ts';
import { type MeaningOfRow, Meanings } from './meanings.ts';
import { previewLengthMax, previewOf } from './preview.ts';

export interface HitsInput {
  readonly plan: SearchPlan;
  readonly index: UserIndex;
  readonly fused: Fused;
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
  const { plan, index, fused, page, matches } = input;
  const { scores: own, rows: holding = [] } = fused.keyword ?? {};
  const ranks =
    own &&
    ranksAmong(
      page.map((row) => own[row]),
      holding,
      own,
    );
  const places = new Map(page.map((row, i) => [index.columns.docs[row], { row, rank: ranks?.[i] ?? null }]));
  const meanings = fused.meaning && new Meanings(plan.threshold, index, fused.meaning);
  const expansions = fused.expansions ?? [];
  const terms = new Set([...plan.terms, ...expansions.flatMap((reading) => reading.terms)]);
  return (memory) => {
    const place = places.get(memory.doc);
    if (!place) return undefined;
    const words = plan.explain ? matchedWords(memory.content, terms, analyzeWithOffsets) : [];
    const isSought = !plan.explain && terms.size > 0 && memory.content.length > previewLengthMax;
    const start = isSought ? firstMatch(memory, terms, analyzeWithOffsets) : words[0]?.start;
    const found = {
      row: place.row,
      rank: place.rank,
      matchedTerms: plan.explain ? wordsMatched(memory, words, terms, plan.notDates, analyzeWithOffsets) : [],
      meaning: meanings?.of(place.row),
      notes: plan.explain ? expansionNotes(words, expansions, fused.phrases ?? []) : [],
      withReason: plan.explain,
    };
    const isMatch = matches?.has(place.row) ?? true;
    const ranking = isMatch && own ? ranked(fused, own[place.row], found) : listed(plan.explain, isMatch);
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
      explanation: ranking.explanation,
    };
  };
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

type Ranking = Omit<SearchHit, 'memory' | 'preview'>;

function listed(withReason: boolean, isMatch: boolean): Ranking {
  const nothing = {
    score: null,
    fulltextScore: null,
    fulltextRank: null,
    vectorScore: null,
    vectorRank: null,
    branchScores: {},
  };
  const explanation = isMatch ? browsed : toldOfMatch;
  return {
    ...nothing,
    matchedVia: isMatch ? [] : ['version'],
    explanation: withReason ? explanation : undefined,
  };
}

interface Found {
  readonly row: number;
  readonly rank: number | null;
  readonly matchedTerms: readonly string[];
  readonly meaning: MeaningOfRow | undefined;
  readonly notes: readonly string[];
  readonly withReason: boolean;
}

function ranked(
  fused: Fused,
  ownScore: number,
  { row, rank, matchedTerms, meaning, notes, withReason }: Found,
): Ranking {
  const contributions = fused.inConversation?.contributionsOf(row);
  const byWords = ownScore > 0;
  const similarity = meaning?.similarity ?? null;
  const synonyms = meaning?.synonyms ?? [];
  return {
    score: fused.scores ? Math.max(0, fused.scores[row]) : null,
    fulltextScore: byWords ? ownScore : null,
    fulltextRank: byWords ? rank : null,
    vectorScore: similarity,
    vectorRank: meaning?.rank ?? null,
    matchedVia: matchedVia(byWords, similarity !== null, synonyms.length > 0),
    branchScores: branchScores(ownScore, contributions, fused.meaning !== undefined),
    explanation: withReason
      ? explain({ matchedTerms, notes, contributions, ownScore, similarity, synonyms })
      : undefined,
  };
}

function matchedVia(byWords: boolean, byVector: boolean, byNearWords: boolean): string[] {
  const ways = [
    ...(byWords ? ['fulltext'] : []),
    ...(byVector ? ['vector'] : []),
    ...(byNearWords ? ['near-words'] : []),
  ];
  return ways.length > 0 ? ways : ['conversation'];
}

const firstOfMeaning = ingredients.indexOf('soft');

/** Own words first, then what came from the conversation and from meaning; all in units of the final score where there is one. */
function branchScores(
  ownScore: number,
  contributions: Float64Array | undefined,
  hasMeaning: boolean,
): Record<string, number> {
  if (!contributions) return { fulltext: ownScore };
  const [own] = contributions;
  const conversation = sum(contributions, 1, firstOfMeaning);
  if (!hasMeaning) return { fulltext: own, conversation };
  return { fulltext: own, conversation, vector: sum(contributions, firstOfMeaning, contributions.length) };
}

function sum(numbers: Float64Array, from: number, to: number): number {
  let all = 0;
  for (let i = from; i < to; i++) all += numbers[i];
  return all;
}
