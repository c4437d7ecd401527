import type { RuleToJudge } from '../../domain/patterns/rule-judge.ts';
import { itemsOf } from './quotes.ts';

/** A rule of which an LLM says otherwise than the words, by its position among those shown. */
export interface JudgedRule {
  readonly index: number;
  readonly applies: boolean;
}

/** Up to this many rules all may be taken away. */
const fewMax = 2;
/** Of more, at most this share: an answer that takes nearly all away judged nothing. */
const shareMax = 2 / 3;
/** An answer that finds more rules than these to apply judged nothing either. */
const addedMax = 3;

/** Judgements of an LLM that differ from those by words. A rule with both judgements is left as it is. */
export function checkRules(rules: readonly RuleToJudge[], response: unknown): readonly JudgedRule[] {
  const said = new Map<number, Set<boolean>>();
  for (const { rule, applies } of itemsOf(response, 'rules')) {
    if (typeof rule !== 'number' || !(rule in rules) || typeof applies !== 'boolean') continue;
    said.set(rule, (said.get(rule) ?? new Set()).add(applies));
  }
  const other = [...said].flatMap(([index, verdicts]): JudgedRule[] => {
    const applies = verdicts.has(true);
    const { isGiven, isFixed } = rules[index];
    return verdicts.size > 1 || applies === isGiven || (isGiven && isFixed) ? [] : [{ index, applies }];
  });
  const [added, taken] = [other.filter(({ applies }) => applies), other.filter(({ applies }) => !applies)];
  const given = rules.filter(({ isGiven }) => isGiven).length;
  return [
    ...(added.length > addedMax ? [] : added),
    ...(given > fewMax && taken.length > given * shareMax ? [] : taken),
  ];
}
