import type { SimilarKind } from '../../domain/memories/similar-memories.ts';
import { groupBy } from '../../lib/collections.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import { statedValues } from './stated-values.ts';

/** Values of one kind in a text. */
interface ValuesOfKind {
  readonly values: ReadonlySet<string>;
  /** Terms before the first of them, which name its owner. */
  readonly before: readonly string[];
}

/** A text as the comparison reads it. */
export interface ComparedText {
  readonly plain: string;
  /** Distinct terms besides values and words of change, in order. */
  readonly terms: readonly string[];
  readonly values: ReadonlyMap<string, ValuesOfKind>;
  readonly isNegated: boolean;
  readonly isQuestion: boolean;
  /** Whether it speaks to somebody: in talk, the same words are used about many matters. */
  readonly isTalk: boolean;
  /** Whether it says that something changed. */
  readonly tellsChange: boolean;
  /** Terms of which it says that they no longer hold: of "from X to Y", "instead of X". */
  readonly gone: readonly string[];
}

/** UTF-16 units of a text that are compared: longer texts are about several matters. */
export const comparedLengthMax = 1500;

const termsOf = (words: string) => new Set(words.split(' ').flatMap((word) => analyze(word)));
const changeTerms = termsOf(
  'now instead anymore longer moved move change changed changes switch switched update updated new old raised lowered ' +
    'postponed upgrade upgraded replaced renamed again since today yesterday finally actually currently still until',
);
/** Verbs that say too little to make two texts one matter. */
const lightTerms = termsOf(
  'use used uses take takes took go goes went get got make makes made put set run runs start starts keep kept need needs ' +
    'allow limit maximum minimum default value amount number want wants work works come say said think know like user need must should decided decision note todo open ' +
    'thanks thank hey hi yeah yes ok okay cool awesome great good nice love lovely wow sure really lot mean means way time ' +
    'idea look looks looking see bye thing things help support feel believe let always glad definitely keep going',
);
const change =
  /\b(?:now|instead|no longer|not any ?more|any ?more|moved?|changed?|switch(?:ed)?|replaced?s?|renamed|raised|lowered|postponed|upgraded|increased|reduced|from \S+ to|after all|not \S+ but)\b/i;
const question = /\?["'”’)\]]*\s*$/;
const talk = /\b(?:you|your|yours|let['’]s)\b|!/i;
const replaced =
  /\b(?:from|instead of|rather than|in place of|no longer(?: (?:on|in|at|with|by))?|replac\w+|drop\w*|away from|not(?: (?:in|on|at|with|by))?)(?: the)? (\S+)/gi;
const negation = /\b(?:not|never|no longer|cannot|without)\b|n['’]t\b/i;

export function toCompared(content: string): ComparedText {
  const text = content.slice(0, comparedLengthMax);
  const { values, rest } = statedValues(text);
  const termsIn = (part: string) => [...new Set(analyze(part))].filter((term) => !changeTerms.has(term));
  const byKind = new Map<string, ValuesOfKind>();
  for (const [kind, ofKind] of groupBy(values, (value) => value.kind)) {
    const first = Math.min(...ofKind.map(({ at }) => at));
    byKind.set(kind, {
      values: new Set(ofKind.map(({ value }) => value)),
      before: termsIn(rest.slice(0, first)),
    });
  }
  return {
    plain: text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
    terms: termsIn(rest),
    values: byKind,
    isNegated: negation.test(text),
    isQuestion: question.test(text),
    isTalk: talk.test(text),
    tellsChange: change.test(text),
    gone: [...text.matchAll(replaced)].flatMap(([, word]) => analyze(word)),
  };
}

/** Weight of a term that no memory of the user has. */
type WeightOf = (term: string) => number;

/** Minimum share of the terms of the text with less of them that both have. */
const coverMin = { otherValue: 0.45, sameValue: 0.6, replaced: 0.5, reworded: 0.75 } as const;
/** Minimum share of the terms of the text with more of them, without comparable values. */
const bothMin = 0.5;
/** Minimum subject words that texts without comparable values share. */
const strongMin = 3;

/**
 * How two texts on the same matter relate, or undefined if they are about different ones or cannot be told.
 * Texts are on one matter if they share subject words; a value of the same kind then decides.
 * @param weightOf weight of a term, higher for rarer ones
 */
export function sameMatter(
  later: ComparedText,
  earlier: ComparedText,
  weightOf: WeightOf,
): SimilarKind | undefined {
  if (later.plain === earlier.plain && later.terms.length + later.values.size > 2) return 'duplicate';
  const known = new Set(earlier.terms);
  const shared = later.terms.filter((term) => known.has(term));
  const strong = shared.filter((term) => !lightTerms.has(term) && !later.values.has(term));
  if (strong.length === 0 || shared.length < 2 || mayNotCompare(later, earlier)) return undefined;
  const weigh = (terms: readonly string[]) => terms.reduce((sum, term) => sum + weightOf(term), 0);
  const [ofShared, ofLater, ofEarlier] = [shared, later.terms, earlier.terms].map(weigh);
  const cover = ofShared / Math.min(ofLater, ofEarlier);
  const values = compareValues(later, earlier);
  if (values === 'apart') return undefined;
  if (values === 'differ')
    return cover >= coverMin.otherValue && isSameSubject(later, earlier, shared) ? 'otherValue' : undefined;
  if (values === 'equal') return cover >= coverMin.sameValue && strong.length > 1 ? 'sameValue' : undefined;
  if (strong.length < 2 || later.isTalk || earlier.isTalk) return undefined;
  if (cover >= coverMin.replaced && later.gone.some((term) => known.has(term))) return 'otherValue';
  const coverOfBoth = ofShared / Math.max(ofLater, ofEarlier);
  if (strong.length < strongMin || cover < coverMin.reworded || coverOfBoth < bothMin) return undefined;
  return later.tellsChange ? 'otherValue' : 'sameValue';
}

/** Questions state nothing, and a negation without a word of change may be about something else. */
const mayNotCompare = (later: ComparedText, earlier: ComparedText) =>
  later.isQuestion || earlier.isQuestion || (later.isNegated !== earlier.isNegated && !later.tellsChange);

/** How the values of kinds that both texts have compare: `apart` if different things have them. */
function compareValues(later: ComparedText, earlier: ComparedText): 'equal' | 'differ' | 'apart' | undefined {
  let isEqual = false;
  for (const [kind, own] of later.values) {
    const others = earlier.values.get(kind);
    if (!others) continue;
    if (![...own.values].some((value) => others.values.has(value)))
      return namesMore(own.before, earlier) && namesMore(others.before, later) ? 'apart' : 'differ';
    isEqual = true;
  }
  return isEqual ? 'equal' : undefined;
}

/** Whether the terms name something that the other text does not. */
const namesMore = (terms: readonly string[], { terms: others }: ComparedText) =>
  terms.some((term) => !others.includes(term) && !lightTerms.has(term));

/** Whether the texts have one subject: the first word of one is in the other. */
function isSameSubject(later: ComparedText, earlier: ComparedText, shared: readonly string[]): boolean {
  const among = new Set(shared);
  return among.has(earlier.terms[0]) || among.has(later.terms[0]);
}
