import { Breather } from '../../lib/loop-time.ts';
import { type Statement, statementsOf } from '../text/statements.ts';
import type { DigestSource, ScoredStatement } from './digest.ts';

/** LexRank compares every pair: 400 statements take some 20 ms. */
const statementsMax = 400;
/** Bonus of a sentence that contains all words of the query, compared with others of the same source. */
const overlapWeight = 1;
/** Loss by position: a statement late in a long source less often states the source's subject. */
const positionLoss = 0.05;
/** Centrality measures frequent statements; relevance measures the match with the query. */
const centralityShare = 0.25;

/** The statements of current sources, scored by relevance and centrality; best first. */
export async function scoreStatements(
  sources: readonly DigestSource[],
  queryTerms: ReadonlySet<string>,
): Promise<ScoredStatement[]> {
  const breather = new Breather();
  const found: ReturnType<typeof ofSource> = [];
  for (const source of sources) {
    found.push(...ofSource(source, queryTerms));
    const pause = breather.pause();
    if (pause) await pause;
  }
  const all = found.sort((a, b) => b.relevance - a.relevance).slice(0, statementsMax);
  const central = await lexRank(
    all.map(({ statement, relevance }) => ({ terms: statement.terms, relevance })),
  );
  const highest = {
    relevance: highestOf(all.map(({ relevance }) => relevance)),
    central: highestOf(central),
  };
  return all
    .map(({ statement, relevance }, i) => ({
      ...statement,
      also: [],
      score:
        (1 - centralityShare) * (relevance / highest.relevance) +
        centralityShare * (central[i] / highest.central),
    }))
    .sort((a, b) => b.score - a.score || a.source - b.source || a.position - b.position);
}

function ofSource({ memory, number, score }: DigestSource, queryTerms: ReadonlySet<string>) {
  const statements = statementsOf(memory.content, number);
  const weights = statements.map((one) => (1 + overlapWeight * overlap(one, queryTerms)) * placed(one));
  const highest = highestOf(weights);
  return statements.map((statement, i) => ({ statement, relevance: score * (weights[i] / highest) }));
}

const highestOf = (values: readonly number[]) => Math.max(...values, Number.MIN_VALUE);
const placed = ({ position }: Statement) => Math.max(0.5, 1 - positionLoss * position);

function overlap({ terms }: Statement, queryTerms: ReadonlySet<string>): number {
  if (queryTerms.size === 0) return 0;
  let shared = 0;
  for (const term of queryTerms) if (terms.has(term)) shared++;
  return shared / queryTerms.size;
}

interface RankedSentence {
  readonly terms: ReadonlySet<string>;
  /** Relevance to the query, 0 and up. */
  readonly relevance: number;
}

const damping = 0.7;
const roundsMax = 40;
const precision = 1e-6;
/** Below this similarity two sentences are unrelated. */
const similarityMin = 0.1;

/**
 * Biased LexRank: centrality of sentences in the graph of their similarities (Erkan and
 * Radev 2004), with a random surfer who jumps to sentences by their relevance to the query
 * (Otterbacher, Erkan and Radev 2005). Similarity is the cosine of idf weights, each term
 * counted once. Deterministic; time grows with the square of the number of sentences.
 * @returns the score of each sentence, in order; they sum to 1
 */
async function lexRank(sentences: readonly RankedSentence[]): Promise<number[]> {
  const { length } = sentences;
  if (length === 0) return [];
  const jump = shares(sentences.map(({ relevance }) => relevance));
  const steps = await transitions(sentences);
  const breather = new Breather();
  let scores = jump;
  for (let round = 0; round < roundsMax; round++) {
    const next = jump.map((share) => (1 - damping) * share);
    for (const [from, row] of steps.entries())
      for (const [to, weight] of row) next[to] += damping * scores[from] * weight;
    const pause = breather.pause();
    if (pause) await pause;
    const change = next.reduce((sum, score, i) => sum + Math.abs(score - scores[i]), 0);
    scores = next;
    if (change < precision) break;
  }
  return scores;
}

function shares(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => (sum > 0 ? value / sum : 1 / values.length));
}

/** For each sentence, its similar sentences and their shares of a step; itself if it has none. */
async function transitions(sentences: readonly RankedSentence[]): Promise<[number, number][][]> {
  const breather = new Breather();
  const idf = idfOf(sentences.map(({ terms }) => terms));
  const weight = (term: string) => idf.get(term) ?? 0;
  const norms = sentences.map(({ terms }) =>
    Math.sqrt([...terms].reduce((sum, term) => sum + weight(term) ** 2, 0)),
  );
  const likes = sentences.map((): [number, number][] => []);
  for (const [a, { terms }] of sentences.entries()) {
    const pause = breather.pause();
    if (pause) await pause;
    for (let b = a + 1; b < sentences.length; b++) {
      const other = sentences[b].terms;
      let product = 0;
      for (const term of terms) if (other.has(term)) product += weight(term) ** 2;
      const cosine = product === 0 ? 0 : product / (norms[a] * norms[b]);
      if (cosine < similarityMin) continue;
      likes[a].push([b, cosine]);
      likes[b].push([a, cosine]);
    }
  }
  return likes.map((row, from) => {
    if (row.length === 0) return [[from, 1]];
    const sum = row.reduce((total, [, cosine]) => total + cosine, 0);
    return row.map(([to, cosine]) => [to, cosine / sum]);
  });
}

/** Inverse document frequency of each term over sets of terms. */
function idfOf(sets: readonly ReadonlySet<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const term of set) counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map([...counts].map(([term, count]) => [term, Math.log(1 + sets.length / count)]));
}
