import type { PieceTable } from '../../domain/embedding/embedder.ts';
import type { Arm } from '../arms/arm.ts';
import { entityArm, topicArm } from '../arms/derived-arms.ts';
import { type FactArmDeps, factArm } from '../arms/fact-arm.ts';
import { keywordArm } from '../arms/keyword-arm.ts';
import { questionArm } from '../arms/question-arm.ts';
import { type SemanticArmDeps, semanticArm } from '../arms/semantic-arm.ts';
import { speakerArm } from '../arms/speaker-arm.ts';
import { type SynonymArmDeps, synonymArm } from '../arms/synonym-arm.ts';
import { timeArm, withinTimeArm } from '../arms/time-arm.ts';
import type { SearchMethod } from '../request.ts';
import { shippedWeights, type Weights } from './fuse/weights.ts';
import { networkRescorer } from './network/network-rescorer.ts';
import type { Rescorer } from './rescorer.ts';
import { answers } from './rescorers/answers.ts';
import { byPassage } from './rescorers/by-passage.ts';
import { feedback } from './rescorers/feedback.ts';
import { lists } from './rescorers/lists.ts';
import { newer } from './rescorers/newer.ts';

/**
 * A ranking of memories: the arms in the order in which responses name them,
 * the weights of their signals, and the rescorers of the weighted sum.
 */
export interface Ranking {
  readonly arms: readonly Arm[];
  readonly weights: Readonly<Record<SearchMethod, Weights>>;
  /** In the order in which they change the weighted sum. */
  readonly rescorers: readonly Rescorer[];
}

/** Dependencies of semantic search. */
export interface SemanticDeps extends SemanticArmDeps, Pick<SynonymArmDeps, 'synonyms'> {
  /** Word pieces for the comparison of texts. */
  readonly pieces: () => PieceTable;
}

/** @param semantic undefined without a model: only words and traits then rank */
export function shippedRanking(
  semantic: SemanticDeps | undefined,
  { analyzeQuery, shortTexts }: Pick<SynonymArmDeps, 'analyzeQuery'> & FactArmDeps,
): Ranking {
  const ofModel = semantic
    ? [semanticArm(semantic), synonymArm({ synonyms: semantic.synonyms, analyzeQuery })]
    : [];
  const ofDerived = [entityArm, topicArm, factArm({ shortTexts })];
  return checked({
    arms: [keywordArm, ...ofModel, speakerArm, questionArm, timeArm, withinTimeArm, ...ofDerived],
    weights: shippedWeights,
    rescorers: [
      ...(semantic ? [networkRescorer(semantic.pieces)] : []),
      byPassage,
      answers,
      lists,
      feedback,
      newer,
    ],
  });
}

/** @throws if two signals have the same name, or no method weighs a signal */
export function checked(ranking: Ranking): Ranking {
  const specs = ranking.arms.flatMap(({ signals }) => signals);
  const names = new Set(specs.map(({ name }) => name));
  if (names.size < specs.length) throw new Error(`two signals have one name: ${specs.map((s) => s.name)}`);
  const tables = Object.values(ranking.weights);
  for (const { name, parts } of specs) {
    const parted = tables.flatMap((table) => Object.keys(table[name] ?? {}));
    if (parted.length === 0) throw new Error(`no method weighs the signal ${name}`);
    const unknown = parted.filter((part) => !(part in parts));
    if (unknown.length > 0) throw new Error(`the signal ${name} has no part ${unknown.join(', ')}`);
  }
  return ranking;
}
