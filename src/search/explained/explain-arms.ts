import { similarityOf } from '../../domain/embedding/similarity.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import type { Arm } from '../arms/arm.ts';
import { words } from '../arms/keyword-arm.ts';
import { cosinesOf } from '../arms/nearest-cosines.ts';
import type { ArmsRun } from '../arms/run-arms.ts';
import { isSemanticSignal, type SemanticSignal, semantic } from '../arms/semantic-arm.ts';
import { isFound, type SignalSpec } from '../arms/signal.ts';
import type { Candidates } from '../candidates.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { TermExpansion } from '../query/words/expand-query.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import type { Ranking } from '../rank/ranking.ts';
import type { ExplainedArm } from '../request.ts';
import { includesRow } from '../scores/order.ts';

/** Findings of the arms of a search, with their terms. */
export interface RunOfArms {
  readonly plan: SearchPlan;
  readonly candidates: Candidates;
  readonly terms: readonly LiveTerm[];
  readonly expansions: readonly TermExpansion[];
  /** Signals of every arm that was run, including failed ones. */
  readonly asked: readonly SignalSpec[];
  readonly run: ArmsRun;
}

/** Words of the query that a row has in no form, completion or correction. */
export function missingWords({ plan, terms, expansions }: RunOfArms, row: number): string[] {
  return plan.terms.flatMap((term) => {
    const typed = plan.words.find((word) => word.term === term)?.typed ?? term;
    const others = expansions.filter(({ typed: of }) => of.replace('…', '') === typed);
    const meant = new Set([term, ...others.flatMap((expansion) => expansion.terms)]);
    const means = ({ term: own, standsFor = [own] }: LiveTerm) => standsFor.some((one) => meant.has(one));
    return terms.some((live) => means(live) && includesRow(live.rows, row)) ? [] : [typed];
  });
}

interface ExplainArmsDeps {
  readonly ranking: Pick<Ranking, 'arms' | 'weights'>;
  readonly reader: IndexReader;
}

/** Of each arm whether it found the row, and why not. */
export async function explainArms(
  found: RunOfArms,
  row: number,
  { ranking: { arms, weights: ofMethods }, reader }: ExplainArmsDeps,
): Promise<ExplainedArm[]> {
  const explained: ExplainedArm[] = [];
  // A semantic search runs the keyword arm without words.
  const weights = ofMethods[found.plan.method];
  for (const spec of found.asked) {
    if (spec.via === undefined || !(spec.name in weights)) continue;
    explained.push({ arm: spec.via, ...(await explainSignal(found, row, { spec, arms, reader })) });
  }
  return explained;
}

interface OneSignal {
  readonly spec: SignalSpec;
  readonly arms: readonly Arm[];
  readonly reader: IndexReader;
}

async function explainSignal(
  found: RunOfArms,
  row: number,
  { spec, arms, reader }: OneSignal,
): Promise<Omit<ExplainedArm, 'arm'>> {
  const arm = arms.find(({ signals }) => signals.includes(spec));
  const failure = found.run.failures.find(({ name }) => name === arm?.name);
  if (failure) return { found: false, reason: `It failed in this search (${failure.reason}).` };
  const signal = found.run.signals.find((one) => one.spec.name === spec.name);
  const [evidence] = signal && isFound(signal) ? signal.explain([row]) : [];
  if (evidence) {
    const { rank } = evidence;
    return { found: true, ...(rank !== null && { rank }), reason: evidence.describe().reason };
  }
  return { found: false, reason: await lackOf() };

  async function lackOf(): Promise<string> {
    if (spec.name === words.name) return lackOfWords(found.plan.terms.length, missingWords(found, row));
    if (spec.name === semantic.name && signal && isSemanticSignal(signal))
      return lackOfSimilarity(signal, found, row, reader);
    return spec.lacks ?? 'It did not find it.';
  }
}

function lackOfWords(count: number, missing: readonly string[]): string {
  if (count === 0) return 'The query has no word to look for.';
  return `It has none of the words of the query: ${missing.join(', ')}.`;
}

const twoDigits = (share: number) => share.toFixed(2);

/** Cosines of rows that were too far to be compared are computed now, so that the number is right. */
async function lackOfSimilarity(
  { near }: SemanticSignal,
  { plan: { threshold }, candidates: { index } }: RunOfArms,
  row: number,
  reader: IndexReader,
): Promise<string> {
  if (near.vector.every((number) => number === 0)) return 'The model knows no word of the query.';
  const docs = [index.columns.docs[row]];
  const cosine =
    near.cosines.get(row) ?? cosinesOf(index, near.vector, await reader.vectorsOf(near.space, docs)).get(row);
  if (cosine === undefined) {
    const ofMain = near.space === index.space ? [] : await reader.vectorsOf(index.space, docs);
    if (ofMain.length === 0) return 'It has no vector yet: it is compared once it is embedded.';
    return 'It has no vector of the encoder yet, and by the other model it is too far from the query.';
  }
  const similarity = similarityOf(cosine, near.relatedCosine);
  if (similarity < threshold)
    return `Its similarity of ${twoDigits(similarity)} is below the threshold of ${twoDigits(threshold)}.`;
  return `Its similarity of ${twoDigits(similarity)} reaches the threshold, but enough others are nearer.`;
}
