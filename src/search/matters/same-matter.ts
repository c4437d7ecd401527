import type { SimilarKind } from '../../domain/memories/similar-memories.ts';
import { type ComparedText, termsOf, type ValuesOfKind } from './compared-text.ts';

/** Verbs that say too little to make two texts one matter. */
const lightTerms = termsOf(
  'use used uses take takes took go goes went get got make makes made put set run runs start starts keep kept need needs ' +
    'allow limit maximum minimum default value amount number date time deadline want wants work works come say said think know like user need must should decided decision note todo open ' +
    'thanks thank hey hi yeah yes ok okay cool awesome great good nice love lovely wow sure really lot mean means way ' +
    'idea look looks looking see bye thing things help support feel believe let always glad definitely keep going',
);
/** Weight of a term that no memory of the user has. */
type WeightOf = (term: string) => number;

/** Minimum share of the terms of the text with less of them that both have. */
const coverMin = {
  otherValue: 0.45,
  sameValue: 0.6,
  replaced: 0.5,
  changed: 0.6,
  sameFirst: 0.4,
  reworded: 0.75,
} as const;
/** Minimum share of the terms of the text with more of them, without comparable values. */
const bothMin = 0.5;
/** Minimum subject words that texts without comparable values share. */
const strongMin = 3;

/** Common terms of two texts. */
interface Common {
  readonly shared: readonly string[];
  /** Shared subject words. */
  readonly strong: readonly string[];
  /** Share of the weight of the terms of the text with less of them, and with more. */
  readonly cover: number;
  readonly coverOfBoth: number;
}

/**
 * How two texts on the same matter relate, or undefined if they are about different ones or cannot be told.
 * Texts are on one matter if they share subject words; a value of the same kind then decides, or words of change.
 * @param weightOf weight of a term, higher for rarer ones
 */
export function sameMatter(
  later: ComparedText,
  earlier: ComparedText,
  weightOf: WeightOf,
): SimilarKind | undefined {
  if (later.plain === earlier.plain && later.terms.length + later.values.size > 2) return 'duplicate';
  if (areApart(later, earlier)) return undefined;
  const common = commonOf(later, earlier, weightOf);
  if (common.strong.length === 0) return undefined;
  if (isReplaced(later, earlier, common)) return 'otherValue';
  if (later.isNegated !== earlier.isNegated && !later.tellsChange) return undefined;
  const values = compareValues(later, earlier);
  if (values === 'apart') return undefined;
  if (values === 'differ') return hasOtherValue(later, earlier, common) ? 'otherValue' : undefined;
  return byWords(later, earlier, common, values === 'equal');
}

function commonOf(later: ComparedText, earlier: ComparedText, weightOf: WeightOf): Common {
  const known = new Set(earlier.terms);
  const shared = later.terms.filter((term) => known.has(term));
  const weigh = (terms: readonly string[]) => terms.reduce((sum, term) => sum + weightOf(term), 0);
  const [ofShared, ofLater, ofEarlier] = [shared, later.terms, earlier.terms].map(weigh);
  return {
    shared,
    strong: shared.filter((term) => !lightTerms.has(term) && !later.values.has(term)),
    cover: ofShared / Math.min(ofLater, ofEarlier),
    coverOfBoth: ofShared / Math.max(ofLater, ofEarlier),
  };
}

/** A question states nothing; things with other numbers, and two speakers about their own, are different matters. */
function areApart(later: ComparedText, earlier: ComparedText): boolean {
  // Properties of the text as a whole come first: tokens and words of most texts are never needed.
  if (later.isQuestion || earlier.isQuestion || earlier.isHedged || earlier.isOwnEvent) return true;
  if (areOfTwoSpeakers(later, earlier) && !later.tellsChange) return true;
  if ([...later.numbered].some(([noun, number]) => (earlier.numbered.get(noun) ?? number) !== number))
    return true;
  if (later.hasFillers || earlier.hasFillers) return true;
  if (onlyIn(later.paths, earlier.paths).length > 0 && onlyIn(earlier.paths, later.paths).length > 0)
    return true;
  return onlyIn(later.contrasts, earlier.words).length + onlyIn(earlier.contrasts, later.words).length > 0;
}

const areOfTwoSpeakers = ({ speaker }: ComparedText, { speaker: other }: ComparedText) =>
  speaker !== undefined && other !== undefined && speaker !== other;

const onlyIn = (words: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...words].filter((word) => !others.has(word));

/** Whether each text limits its value by a word that the other does not have. */
const haveOwnLimits = (later: ComparedText, earlier: ComparedText) =>
  onlyIn(later.limits, earlier.words).length > 0 && onlyIn(earlier.limits, later.words).length > 0;

/** Whether it is done, somebody stands in, or the same subject is something else. */
function isReplaced(later: ComparedText, earlier: ComparedText, { strong, cover }: Common): boolean {
  if (isSlotChanged(later, earlier)) return true;
  if (strong.length < 2) return false;
  if (later.away.some((name) => earlier.names.has(name))) return true;
  return earlier.isOpen && later.isDone && cover >= coverMin.otherValue;
}

const saidWordsMax = 6;

/** Whether both define the same subject, in a few other words. */
function isSlotChanged(later: ComparedText, earlier: ComparedText): boolean {
  const { subject, said = '', isNegated } = later;
  if (!subject?.includes(' ') || subject !== earlier.subject || said === earlier.said) return false;
  const words = [said, earlier.said ?? ''].map((each) => each.split(' ').length);
  return Math.max(...words) <= saidWordsMax && isNegated === earlier.isNegated;
}

function hasOtherValue(later: ComparedText, earlier: ComparedText, { shared, cover }: Common): boolean {
  if (later.isEvent || later.isHedged || cover < coverMin.otherValue) return false;
  if (haveOwnLimits(later, earlier)) return false;
  const isOneMatter =
    shared.length > 1 ||
    later.tellsChange ||
    !namesMore(later.terms, earlier) ||
    !namesMore(earlier.terms, later);
  return isOneMatter && isSameSubject(later, earlier, shared);
}

/** By words alone, or next to an equal value. */
function byWords(
  later: ComparedText,
  earlier: ComparedText,
  common: Common,
  isEqual: boolean,
): SimilarKind | undefined {
  const { shared, strong, cover, coverOfBoth } = common;
  if (shared.length < 2 || strong.length < 2) return undefined;
  const isTalk = later.isTalk || earlier.isTalk;
  if (!isTalk && isChangeOf(later, earlier, common)) return 'otherValue';
  if (isEqual) return cover >= coverMin.sameValue ? 'sameValue' : undefined;
  if (isTalk || strong.length < strongMin || cover < coverMin.reworded || coverOfBoth < bothMin)
    return undefined;
  return later.tellsChange ? 'otherValue' : 'sameValue';
}

/** Whether the later text says that the earlier one no longer holds of their subject. */
function isChangeOf(later: ComparedText, earlier: ComparedText, { shared, cover }: Common): boolean {
  if (cover >= coverMin.replaced && later.gone.some((term) => earlier.terms.includes(term))) return true;
  if (!later.tellsChange || later.isHedged) return false;
  if (later.changed.length > 0 && !later.changed.some((term) => earlier.terms.includes(term))) return false;
  if (later.isReplacing && later.terms[0] === earlier.terms[0]) return cover >= coverMin.sameFirst;
  return cover >= coverMin.changed && isSameSubject(later, earlier, shared);
}

/** How the values of kinds that both texts have compare: `apart` if different things have them. */
function compareValues(later: ComparedText, earlier: ComparedText): 'equal' | 'differ' | 'apart' | undefined {
  let isEqual = false;
  for (const [kind, own] of later.values) {
    const others = earlier.values.get(kind);
    if (!others) continue;
    const isOther = [...own.values].every((value) => !others.values.has(value));
    if (isOther || namesFormer(later, own, others))
      return namesMore(own.before, earlier) && namesMore(others.before, later) ? 'apart' : 'differ';
    isEqual = true;
  }
  return isEqual ? 'equal' : undefined;
}

/** Whether the later text has another value, and the earlier one next to it. */
const namesFormer = (
  { tellsChange }: ComparedText,
  { values }: ValuesOfKind,
  { values: others }: ValuesOfKind,
) =>
  values.size > others.size &&
  [...others].every((value) => values.has(value)) &&
  (tellsChange || !others.has([...values][0]));

/** Whether the terms name something that the other text does not. */
const namesMore = (terms: readonly string[], { terms: others }: ComparedText) =>
  terms.some((term) => !others.includes(term) && !lightTerms.has(term));

/** Whether the texts have one subject: the first word of one is in the other. */
function isSameSubject(later: ComparedText, earlier: ComparedText, shared: readonly string[]): boolean {
  const among = new Set(shared);
  return among.has(earlier.terms[0]) || among.has(later.terms[0]);
}
