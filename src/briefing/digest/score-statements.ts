import { Breather } from '../../lib/loop-time.ts';
import { type Statement, statementsOf } from '../text/statements.ts';
import type { DigestSource, ScoredStatement } from './digest.ts';
import { lexRank } from './lexrank.ts';

/** LexRank compares every two: 400 take some 20 ms. */
const statementsMax = 400;
/** Bonus of a sentence that contains all words of the query, compared with others of the same source. */
const overlapWeight = 1;
/** A statement late in a long source is less likely to say what the source is about. */
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
      score:
        (1 - centralityShare) * (relevance / highest.relevance) +
        centralityShare * (central[i] / highest.central),
    }))
    .sort((a, b) => b.score - a.score || a.source - b.source || a.position - b.position);
}

function ofSource({ memory, number, relevance }: DigestSource, queryTerms: ReadonlySet<string>) {
  const statements = statementsOf(memory.content, number);
  const weights = statements.map((one) => (1 + overlapWeight * overlap(one, queryTerms)) * placed(one));
  const highest = highestOf(weights);
  return statements.map((statement, i) => ({ statement, relevance: relevance * (weights[i] / highest) }));
}

const highestOf = (values: readonly number[]) => Math.max(...values, Number.MIN_VALUE);
const placed = ({ position }: Statement) => Math.max(0.5, 1 - positionLoss * position);

function overlap({ terms }: Statement, queryTerms: ReadonlySet<string>): number {
  if (queryTerms.size === 0) return 0;
  let shared = 0;
  for (const term of queryTerms) if (terms.has(term)) shared++;
  return shared / queryTerms.size;
}
