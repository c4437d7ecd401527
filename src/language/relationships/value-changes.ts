import type { SourceSpan } from '../facts/fact.ts';
import type { Lexicon } from '../models/word-lists.ts';
import { isTopical } from './content-words.ts';
import type { RelationshipFinding } from './finding.ts';
import { type SaidValue, saidValues } from './said-values.ts';
import { areEqual, speakersDiffer, type TextView } from './text-view.ts';

/** Words that tell things of one kind apart: a value of one of them says nothing about the others. */
const contrast =
  /^(new|old|stag\w*|production|prod|test|dev|develop\w*|local|remote|sandbox|preview|canary|guest|member|admin|partner|free|paid|paying|pro|team|enterprise|trial|eu|us|uk|child|children|adult|student|senior|weekday|weekend|holiday|left|right|upper|lower|front|back|north|south|east|west|inner|outer|first|second|third|fourth|last|next|previous|other|another|android|ios|web|mobile|desktop|server|client|frontend|backend|read|write|private|internal|external|inbound|outbound|unit|integration|smoke|e2e|return|one|both|\d+|.+ \d.*)$/;
/** Whether the word tells things of one kind apart. */
export const isContrast = (word: string) => contrast.test(word);

const opposite: Readonly<Record<string, string>> = {
  to: 'from',
  from: 'to',
  before: 'after',
  after: 'before',
  with: 'without',
  without: 'with',
  above: 'below',
  below: 'above',
  over: 'under',
  under: 'over',
};
/** Automatic commits, each of which is an event of its own. */
export const bump = /^\W*(bump|update|upgrade)s? \S+ from /i;

/** Finds another value of the same thing: `raised from 600 to 3600`, `is 90 now`, `moved: 11 December`. */
export function findValueChange(
  lexicon: Lexicon,
  earlier: TextView,
  later: TextView,
): RelationshipFinding | undefined {
  if (speakersDiffer(earlier, later) || bump.test(earlier.body)) return undefined;
  const was = saidValues(earlier).filter(({ isFormer, isOpen, isPast }) => !isFormer && !isOpen && !isPast);
  if (was.length === 0) return undefined;
  const news = saidValues(later).filter(({ isOpen }) => !isOpen);
  const replaced = new Map<SaidValue, RelationshipFinding>();
  for (const is of news) {
    const old = is.isFormer
      ? was.find((value) => isNamed(value, is) && agree(earlier, later, value, is))
      : replacedBy(lexicon, was, is, earlier, later);
    if (old && !replaced.has(old))
      replaced.set(old, toFinding(old, is.isFormer ? newValueOf(news, is) : is, is));
  }
  const [found, ...others] = replaced.values();
  if (!found || others.length === 0) return found;
  return { ...found, also: others.map(({ evidence }) => evidence.earlier) };
}

/** Whether the later text names this value as the former one; a number may lack its unit there. */
const isNamed = (value: SaidValue, former: SaidValue) =>
  (value.kind === former.kind && value.amount === former.amount) ||
  (former.kind === 'number' && numberIn(value) === former.amount);

const numberIn = ({ span }: SaidValue) => /\d+(?:[.,]\d+)*/.exec(span.text)?.[0].replace(/,(?=\d{3})/g, '');

/** The one value that the text gives in place of a former one. */
function newValueOf(news: readonly SaidValue[], former: SaidValue): SaidValue | undefined {
  const others = news.filter(({ isFormer }) => !isFormer);
  return (
    others.find(({ kind }) => kind === former.kind) ??
    others.find(({ kind }) => isNumeric(kind) && isNumeric(former.kind))
  );
}

const isNumeric = (kind: string) => !/^(date|weekday|clock)/.test(kind);

/** The only value of the same kind that the earlier text gives to the same thing. */
function replacedBy(
  lexicon: Lexicon,
  was: readonly SaidValue[],
  is: SaidValue,
  earlier: TextView,
  later: TextView,
): SaidValue | undefined {
  if (is.isPast || is.kind === 'number') return undefined;
  const same = was.filter(
    (value) =>
      value.kind === is.kind &&
      (is.isNews || isSameStatement(value, is)) &&
      (is.isChanged || !differInOthers(value, is)) &&
      isSameSubject(lexicon, value, is, earlier, later),
  );
  return same.length === 1 && dayOf(same[0]) !== dayOf(is) ? same[0] : undefined;
}

/** Whether the clauses of two values are about different things. */
export function areApart(earlier: TextView, later: TextView, a: SourceSpan, b: SourceSpan): boolean {
  const within =
    ({ start, end }: SourceSpan) =>
    ({ span }: SaidValue) =>
      span.start < end && span.end > start;
  const was = saidValues(earlier).find(within(a));
  const is = saidValues(later).find(within(b));
  if (!was || !is) return false;
  if (dated.test(is.kind) && !is.isNews && !(was.isCertain && is.isCertain)) return true;
  return !agree(earlier, later, was, is) || (!is.isChanged && differInOthers(was, is));
}

const everyDay = /^every /;
const dayOf = ({ amount }: SaidValue) => amount.replace(everyDay, '');

/** Whether both state it by the same verb in the present, or both after a colon. */
const isSameStatement = (was: SaidValue, is: SaidValue) =>
  (dated.test(is.kind) ? was.isCertain && is.isCertain : true) &&
  ([...is.states].some((verb) => was.states.has(verb)) ||
    (was.isLabelled && is.isLabelled && areEqual(was.subject, is.subject)));

/** An appointment of that name may be another one on another day. */
const dated = /^(date|weekday|clock|day of the month)/;

/** Whether both clauses have another value of one kind, and not the same: `8:00 on Sundays`, `6:00 on Saturdays`. */
const differInOthers = (was: SaidValue, is: SaidValue) =>
  is.others.some(({ kind, amount }) =>
    was.others.some(
      (other) =>
        other.kind === kind &&
        other.amount !== amount &&
        (!is.isNews || !dated.test(kind) || everyDay.test(amount)),
    ),
  );

/** Whether nothing tells the subjects apart, and one of the texts at least has all words of the other's. */
function isSameSubject(
  lexicon: Lexicon,
  was: SaidValue,
  is: SaidValue,
  earlier: TextView,
  later: TextView,
): boolean {
  if (!agree(earlier, later, was, is)) return false;
  const missing = [...is.subject].filter((stem) => !earlier.contentSet.has(stem) && !was.subject.has(stem));
  if (missing.length > 0) return false;
  const shared = [...is.subject].filter((stem) => was.subject.has(stem));
  if (shared.length === 0) return false;
  const others = [...was.subject].filter((stem) => !later.contentSet.has(stem));
  return shared.length > 1 || others.length === 0 || isTopical(lexicon, shared[0]);
}

/** Whether the clauses share a word and no word or direction tells their subjects apart. */
function agree(earlier: TextView, later: TextView, was: SaidValue, is: SaidValue): boolean {
  if (was.per !== undefined && is.per !== undefined && was.per !== is.per) return false;
  const shared = [...is.subject].filter((stem) => earlier.contentSet.has(stem));
  if (shared.length === 0) return false;
  const only = [
    ...[...was.subject].filter((stem) => !later.contentSet.has(stem) && !is.subject.has(stem)),
    ...[...is.subject].filter((stem) => !earlier.contentSet.has(stem) && !was.subject.has(stem)),
  ];
  if (only.some(isContrast)) return false;
  return ![...was.directions].some(([stem, way]) => {
    const other = is.directions.get(stem);
    return other !== undefined && opposite[way] === other;
  });
}

function toFinding(was: SaidValue, is: SaidValue | undefined, cue: SaidValue): RelationshipFinding {
  return {
    type: 'SUPERSEDES',
    confidence: 0.9,
    reason: is
      ? `"${was.span.text}" is replaced by "${is.span.text}".`
      : `"${was.span.text}" holds no longer.`,
    evidence: { earlier: was.span, later: (is ?? cue).span },
  };
}

const expected = /\b(gets?|receives?|will (?:get|have|receive)|is going to (?:get|have|receive))\b/i;
const given = /\b(already|early|granted)\b/i;

/** Finds `X has it already` if the earlier text says on which day X gets it. */
export function findEarly(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  if (!expected.test(earlier.body) || !given.test(later.body) || later.isNegated) return undefined;
  const was = saidValues(earlier).find(
    ({ kind, subject }) =>
      /^(date|weekday)$/.test(kind) && [...subject].filter((stem) => later.contentSet.has(stem)).length > 1,
  );
  if (!was || ![...later.names].some((name) => earlier.names.has(name))) return undefined;
  const [evidence] = given.exec(later.body) ?? [''];
  const start = later.bodyStart + later.body.search(given);
  return {
    type: 'SUPERSEDES',
    confidence: 0.85,
    reason: `It is so already, not only from "${was.span.text}" on.`,
    evidence: { earlier: was.span, later: { text: evidence, start, end: start + evidence.length } },
  };
}
