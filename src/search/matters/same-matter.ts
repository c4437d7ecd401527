import type { SimilarKind } from '../../domain/memories/similar-memories.ts';
import { lemmaOf } from '../../language/facts/lemma.ts';
import { isFiller } from '../../language/relationships/content-words.ts';
import { bump, isContrast } from '../../language/relationships/value-changes.ts';
import { type Value, valuesIn } from '../../language/relationships/values.ts';
import { speakerOf } from '../../language/text/speaker.ts';
import { type Token, tokensOf } from '../../language/text/tokens.ts';
import { groupBy } from '../../lib/collections.ts';
import { analyze } from '../../search-index/analysis/index.ts';

/** Values of one kind in a text. */
interface ValuesOfKind {
  readonly values: ReadonlySet<string>;
  /** Terms before the first of them, which name its owner. */
  readonly before: readonly string[];
}

/** A text as the comparison reads it. */
export interface ComparedText {
  readonly speaker: string | undefined;
  readonly plain: string;
  /** Distinct terms besides values and words of change, in order. */
  readonly terms: readonly string[];
  readonly values: ReadonlyMap<string, ValuesOfKind>;
  /** Numbers that are names, by their noun: `sprint` 14. */
  readonly numbered: ReadonlyMap<string, string>;
  /** Words with a capital, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Base forms of words with letters only, in lower case. */
  readonly words: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  /** Words that tell the thing of the first value from others of its kind. */
  readonly contrasts: ReadonlySet<string>;
  /** Words after a preposition that limits a value. */
  readonly limits: ReadonlySet<string>;
  readonly hasFillers: boolean;
  /** Whether it doubts or plans. */
  readonly isHedged: boolean;
  /** Whether it is an event of its own, as an automatic commit is. */
  readonly isOwnEvent: boolean;
  /** Words before the first `is`, `are` or colon, and those after it. */
  readonly subject: string | undefined;
  readonly said: string | undefined;
  readonly isNegated: boolean;
  readonly isQuestion: boolean;
  /** Whether it speaks to somebody: in talk, the same words are used about many matters. */
  readonly isTalk: boolean;
  /** Whether it says that something changed. */
  readonly tellsChange: boolean;
  /** Whether it says so by a verb of change, not only by `now` or a time. */
  readonly isReplacing: boolean;
  /** Whether it tells of one past event, which another event does not change. */
  readonly isEvent: boolean;
  /** Whether it says that something is to be done, or that it is done. */
  readonly isOpen: boolean;
  readonly isDone: boolean;
  /** Names of those who it says are away or no longer in charge. */
  readonly away: readonly string[];
  /** First terms after verbs of change: "moved the bikes into the shed" changes no shed. */
  readonly changed: readonly string[];
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
    'allow limit maximum minimum default value amount number date time deadline want wants work works come say said think know like user need must should decided decision note todo open ' +
    'thanks thank hey hi yeah yes ok okay cool awesome great good nice love lovely wow sure really lot mean means way ' +
    'idea look looks looking see bye thing things help support feel believe let always glad definitely keep going',
);
const change =
  /\b(?:now|instead|no longer|not any ?more|no more|any ?more|moved?|changed?|switch(?:ed)?|replaced?s?|renamed|raised|lowered|postponed|upgraded|increased|reduced|extended|delayed|rescheduled|bumped|from \S+ to|after all|not \S+ but|from \S+(?: \S+)? on|as of|new (?:date|time|value|limit|deadline|price|address|calendar)|(?:goes|went|turned|cut|push|pushed)(?: \S+){0,5}? (?:up|down|to|by)|(?:is|are) (?:gone|dead|closed)|retire[sd]|changed (?:my|his|her|their|its) minds?|since (?:the|this|last|january|february|march|april|may|june|july|august|september|october|november|december|\w+day))\b/i;
const replacing =
  /\b(?:moved|changed|renamed|replaced|switched|migrated|no longer|instead|gone|dead|closed|retired)\b/i;
const changedThing =
  /\b(?:moved|changed|renamed|replaced|switched|migrated|raised|lowered|postponed|upgraded)(?: (?:the|a|an|our|my|his|her|their))? (\S+)/gi;
const same = /\b(?:still|as before|unchanged|remains?|stays? (?:at|the same))\b/i;
const statement = /^([^.;?!\n]{3,80}?)(?: (?:is|are|is named|is called)|:) (.+)$/s;
const question = /\?["'”’)\]]*\s*$/;
const talk = /\b(?:you|your|yours|let['’]s)\b|!/i;
const replaced =
  /\b(?:from(?= \S+(?: \S+)? to )|instead of|rather than|in place of|no longer(?: (?:on|in|at|with|by))?|replac\w+|drop\w*|(?:away|moved|switched|migrated) from|not(?: (?:in|on|at|with|by))?)(?: the)? (\S+)/gi;
const negation = /\b(?:not|never|no longer|cannot|without)\b|n['’]t\b/i;
const alsoCue = /\b(?:too|also|as well|another|in addition)\b/i;
const past =
  /(?<!\b(?:is|are|be|been|being|has|have|gets?) (?:\w+ )?)\b(?:was|were|went|ran|had|met|bought|got|did|took|saw|ate|came|[a-z]{3,}ed)\b/i;
const open =
  /^(?:todo|to do|open|action items?|bug|problem|issue)\b|\b(?:not|nobody|no|has|have)\b[^.;]{0,60}\byet\b|\b(?:is|are) missing\b|\b(?:still open|has to be|have to be|needs? to be|must be)\b/i;
const done =
  /^(?:done|fixed|finished|closed|resolved|solved|implemented|added|merged|shipped)\b|\b(?:is|are|was|were|has been|have been) (?:now |finally |already )?(?:done|fixed|finished|closed|resolved|solved|implemented|added|merged|shipped|deployed|written|published|in place|live|ready)\b/i;
const letters = /^[\p{L}-]+$/u;
const path = /[\w.]\/[\w.]/;
const limit =
  /\b(?:for|of|in|on|at) (?:(?:the|a|an|our|my|his|her|their) )?(?!(?:it|them|this|that|next|last|now|today|then|time|day|week|month|year)\b)(\p{L}[\p{L}\p{N}-]*)/giu;
/** Ends of a clause. */
const clauseEnd = /[,;:.](?=\s|$)|\b(?:since|because|so|but|which|who|when|while|after|before|until)\b/gi;
/** Words of contrast that also name a time. */
const timeWord = /^(?:new|old|last|next|one|both|first|second|third)$/;
const hedge =
  /\b(?:might|maybe|perhaps|probably|would|could|should|thinks?|believes?|guess|want to|wants to|plan(?:s|ning)? to|let['’]s|propose[sd]?|suggest(?:s|ed)?|consider(?:s|ing)?)\b/i;
const capital = /^\p{Lu}[\p{Ll}\p{M}]/u;
const absence =
  /\b(?:(?:is|are|will be|goes|be) (?:\S+ ){0,2}?(?:on|at|off|in) (?:\S+ ){0,2}?(?:leave|holidays?|vacation|sabbatical|honeymoon)|(?:is|are|will be) (?:off sick|out sick|away|ill|sick|off|abroad|out of office|gone)\b|retire[sd]|left (?:the|us)|leaves|moved out|took over|takes over|fill(?:s|ing)? in for|stands? in for|covers? for)/i;
const standIn =
  /\b(?:ask|asks|call|contact|write to|talk to|go to|turn to|in the meantime|meanwhile|until then|instead|stands? in|fill(?:s|ing)? in|covers?|took over|takes over|now)\b/i;
const numberedNoun =
  /\b(phase|room|ticket|step|chapter|release|sprint|version|team|line|gate|terminal|platform|track|issue|part|level|page|section|week|day|season|episode|apartment|flat|house|ward|floor|iteration|milestone|lesson) (\d[\w.]*\d|\d\w?)/gi;
const label = /^[a-z]+(?:\([\w-]+\))?!?: /;

export function toCompared(content: string): ComparedText {
  const speaker = speakerOf(content);
  const from = speaker?.bodyStart ?? label.exec(content)?.[0].length ?? 0;
  const text = content.slice(from, from + comparedLengthMax);
  const tokens = tokensOf(text);
  const { values, rest } = statedValues(text, tokens);
  const at = values[0]?.at ?? 0;
  const termsIn = (part: string) => [...new Set(analyze(part))].filter((term) => !changeTerms.has(term));
  const byKind = new Map<string, ValuesOfKind>();
  for (const [kind, ofKind] of groupBy(values, (value) => value.kind)) {
    const first = Math.min(...ofKind.map(({ at }) => at));
    byKind.set(kind, {
      values: new Set(ofKind.map(({ amount }) => amount)),
      before: termsIn(rest.slice(0, first)),
    });
  }
  const [, subject, said] = statement.exec(text) ?? [];
  const [clause] = text.split(/[,;.](?:\s|$)/, 1);
  const tellsChange = change.test(text) && !same.test(text);
  return {
    speaker: speaker?.name,
    plain: plainOf(text),
    terms: termsIn(rest),
    values: byKind,
    numbered: new Map(
      [...text.matchAll(numberedNoun)].map(([, noun, number]) => [noun.toLowerCase(), number]),
    ),
    names: new Set(tokens.flatMap(({ word }) => (capital.test(word) ? [word.toLowerCase()] : []))),
    words: wordsOf(tokens),
    contrasts: new Set(
      [...wordsOf(values.length === 0 ? tokens : clauseAround(text, tokens, at))].filter(
        (word) => isContrast(word) && !timeWord.test(word),
      ),
    ),
    paths: new Set(tokens.flatMap(({ word }) => (path.test(word) ? [word.toLowerCase()] : []))),
    limits: new Set([...rest.slice(at).matchAll(limit)].map(([, word]) => lemmaOf(word.toLowerCase()))),
    hasFillers: tokens.some((_, at) => isFiller(tokens, at)),
    isHedged: hedge.test(text),
    isOwnEvent: bump.test(text),
    subject: subject && plainOf(subject),
    said: said && plainOf(said),
    isNegated: negation.test(text),
    isQuestion: question.test(text),
    isTalk: talk.test(text),
    tellsChange,
    isReplacing: replacing.test(text),
    isEvent: alsoCue.test(text) || (past.test(clause) && !tellsChange),
    isOpen: open.test(text) && !done.test(text),
    isDone: done.test(text),
    away: standIn.test(text) ? awayIn(text) : [],
    changed: [...text.matchAll(changedThing)].flatMap(([, word]) => analyze(word)),
    gone: [...text.matchAll(replaced)].flatMap(([, word]) => analyze(word)),
  };
}

const plainOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Names before or after words for an absence or a successor, in their sentence. */
function awayIn(text: string): string[] {
  const found = absence.exec(text);
  if (!found) return [];
  const sentence = text.slice(text.lastIndexOf('. ', found.index) + 1, found.index);
  const after = /(?:over|for|from)\b[^.;]*/i.exec(text.slice(found.index))?.[0] ?? '';
  return [...tokensOf(sentence), ...tokensOf(after)].flatMap(({ word }) =>
    capital.test(word) ? [word.toLowerCase()] : [],
  );
}

const wordsOf = (tokens: readonly Token[]) =>
  new Set(tokens.flatMap(({ word }) => (letters.test(word) ? [lemmaOf(word.toLowerCase())] : [])));

/** Tokens of the clause at a place. */
function clauseAround(text: string, tokens: readonly Token[], at: number): readonly Token[] {
  const ends = [...text.matchAll(clauseEnd)].map(({ index }) => index);
  const from = Math.max(0, ...ends.filter((end) => end < at));
  const to = Math.min(text.length, ...ends.filter((end) => end > at));
  return tokens.filter(({ start, end }) => start >= from && end <= to);
}

interface StatedValue extends Value {
  readonly at: number;
}

/** Values that a text states, and the text with blanks in place of their numbers. A bare number is of the kind of the word before it. */
function statedValues(
  text: string,
  tokens: readonly Token[],
): { readonly values: readonly StatedValue[]; readonly rest: string } {
  let rest = text;
  // A number that begins a text is its label.
  const stated = valuesIn(tokens).filter(({ kind, from }) => kind !== 'number' || from > 0);
  const values = stated.map((value) => {
    const [first, last] = [tokens[value.from], tokens[value.to - 1]];
    // The unit of a count stays: it names the counted thing.
    const end = value.kind.startsWith('count ') ? last.start : last.end;
    rest = rest.slice(0, first.start) + ' '.repeat(end - first.start) + rest.slice(end);
    const before = tokens[value.from - 1]?.word.toLowerCase() ?? '';
    const kind = value.kind === 'number' ? `after ${analyze(before)[0] ?? before}` : value.kind;
    return { ...value, kind, at: first.start };
  });
  return { values, rest };
}

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
  if (later.isQuestion || earlier.isQuestion) return true;
  if (later.hasFillers || earlier.hasFillers || earlier.isHedged || earlier.isOwnEvent) return true;
  if (onlyIn(later.contrasts, earlier.words).length + onlyIn(earlier.contrasts, later.words).length > 0)
    return true;
  if (onlyIn(later.paths, earlier.paths).length > 0 && onlyIn(earlier.paths, later.paths).length > 0)
    return true;
  if ([...later.numbered].some(([noun, number]) => (earlier.numbered.get(noun) ?? number) !== number))
    return true;
  const speakers = [later.speaker, earlier.speaker];
  return !speakers.includes(undefined) && later.speaker !== earlier.speaker && !later.tellsChange;
}

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
