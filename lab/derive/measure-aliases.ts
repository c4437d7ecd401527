import { judgeAlias } from '../../src/language/aliases/judge-alias.ts';
import type { LanguageModel } from '../../src/language/language-model.ts';
import type { LabelledAlias } from './labelled.ts';

export interface AliasResult {
  readonly judged: number;
  /** Correct verdicts: `same` or `maybe` for two names of one thing, `no` for others. */
  readonly right: number;
  /** Pairs of two different things that would be merged without confirmation. */
  readonly wrongMerges: number;
  readonly faults: readonly string[];
}

export function measureAliases(model: LanguageModel, aliases: readonly LabelledAlias[]): AliasResult {
  const judged = aliases.map((alias) => ({
    alias,
    verdict: judgeAlias(model, alias.first, alias.second, alias.type),
  }));
  const wrong = judged.filter(({ alias, verdict }) => (verdict !== 'no') !== alias.isSame);
  return {
    judged: judged.length,
    right: judged.length - wrong.length,
    wrongMerges: judged.filter(({ alias, verdict }) => verdict === 'same' && !alias.isSame).length,
    faults: wrong.map(
      ({ alias, verdict }) =>
        `${verdict}: ${alias.first} ~ ${alias.second} (${alias.isSame ? '' : 'not '}the same)`,
    ),
  };
}
