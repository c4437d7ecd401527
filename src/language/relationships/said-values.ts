import type { AnalysedSentence } from '../analysed-text.ts';
import type { SourceSpan } from '../facts/fact.ts';
import { lemmaOf } from '../facts/lemma.ts';
import { toContent } from './content-words.ts';
import { changeVerb, nowCue, plannedCue, sameCue } from './cues.ts';
import type { TextView } from './text-view.ts';
import { type Value, valuesIn } from './values.ts';

/** A value with the clause that states it. */
export interface SaidValue extends Value {
  readonly span: SourceSpan;
  /** Stems of nouns and adjectives of the clause, without values: the thing that has the value. */
  readonly subject: ReadonlySet<string>;
  /** Follows `from`, `instead of`, `not` or `no longer`: the clause says that it holds no more. */
  readonly isFormer: boolean;
  /** The clause begins with the name of one certain thing, as `the beta` is. */
  readonly isCertain: boolean;
  /** Follows a colon, as in `Limit: 10 MB`. */
  readonly isLabelled: boolean;
  /** The clause says that something changed. */
  readonly isChanged: boolean;
  /** The clause says that it changed, or that it is so from now on. */
  readonly isNews: boolean;
  /** Base forms of verbs of the clause in the present. */
  readonly states: ReadonlySet<string>;
  /** Other values of the clause. */
  readonly others: readonly Value[];
  /** The clause tells a past event, which stays true. */
  readonly isPast: boolean;
  /** The sentence asks, doubts, plans or says that all is as before. */
  readonly isOpen: boolean;
  /** Prepositions before nouns of the clause, by the stem of the noun. */
  readonly directions: ReadonlyMap<string, string>;
}

/** Positions of a clause in its sentence; `to` is exclusive. */
interface Clause {
  readonly from: number;
  readonly to: number;
}

const mark = /^[,;:()–—]$/;
const conjunction = /^(because|since|so|but|which|who|when|while|after|before|until|although|then)$/i;
const noun = /^(NN|JJ|FW)/;
const verb = /^(VB|MD)/;
const before = /^(not|n['’]t|longer|from|of|than)$/i;
const beforeOf = /^(instead|rather|no|down|up)$/i;
/** Words that stand between `from` and the value. */
const approximate = /^(about|some|roughly|around|almost|only|the|port|v|version)$/i;
const direction = /^(to|from|before|after|with|without|above|below|over|under)$/i;
/** Prepositions of words that limit a value, unlike those of details: `for guests`, not `with jitter`. */
const limit = /^(for|of|in|on|at|to|from|per)$/i;
const certain = /^(the|our|my|his|her|their|its)\b|^[\p{L}\p{N}]+['’]s\b/iu;
/** Nouns that name a value, not its subject. */
const general =
  /^(date|value|time|number|amount|setting|default|current|total|same|minute|hour|day|week|month|year|second|next|policy|rule|period|schedule|deadline|january|february|march|april|may|june|july|august|september|october|november|december)$/;
const cache = new WeakMap<TextView, readonly SaidValue[]>();

/** The values that a text states, in order. */
export function saidValues(view: TextView): readonly SaidValue[] {
  const known = cache.get(view) ?? view.sentences.flatMap((sentence) => valuesOf(view, sentence));
  cache.set(view, known);
  return known;
}

function valuesOf({ text }: TextView, sentence: AnalysedSentence): SaidValue[] {
  const values = withRanges(sentence, valuesIn(sentence.tokens));
  if (values.length === 0) return [];
  const clauses = clausesOf(sentence, values);
  const whole = textOf(text, sentence, { from: 0, to: sentence.tokens.length });
  const isOpen = /\?\s*$/.test(whole) || plannedCue.test(whole) || sameCue.test(whole);
  return values.map((value): SaidValue => {
    const clause = withSubject(clauses, value, sentence, values);
    const said = textOf(text, sentence, clause);
    const isChanged = changeVerb.test(said);
    return {
      ...value,
      span: spanOf(text, sentence, value),
      subject: stemsIn(sentence, clause, values, value),
      isFormer: isFormer(sentence.words, value.from, isChanged),
      isCertain: certain.test(said),
      isLabelled: /^[:=]$/.test(sentence.words[value.from - 1] ?? ''),
      isChanged,
      isNews: isChanged || nowCue.test(said),
      states: statesIn(sentence, clause),
      others: values.filter((other) => other !== value && other.from >= clause.from && other.to <= clause.to),
      isPast: isPast(sentence, clause),
      isOpen,
      directions: directionsIn(sentence, clause),
    };
  });
}

/** Splits a sentence at marks and conjunctions; `and` begins a clause if there is a verb on each side. */
function clausesOf({ words, tags }: AnalysedSentence, values: readonly Value[]): Clause[] {
  const starts = new Set(values.map(({ from }) => from));
  const within = (at: number) => values.some(({ from, to }) => at > from && at < to);
  const clauses: Clause[] = [];
  let from = 0;
  for (let at = 0; at < words.length; at++) {
    const isBreak =
      (mark.test(words[at]) && !within(at)) ||
      (conjunction.test(words[at]) && !starts.has(at + 1)) ||
      (/^and$/i.test(words[at]) && tags.slice(from, at).some(isVerb) && tags.slice(at + 1).some(isVerb));
    if (!isBreak) continue;
    clauses.push({ from, to: at });
    from = at + 1;
  }
  return [...clauses, { from, to: words.length }];
}

const isVerb = (tag: string) => verb.test(tag);

/** The clause of a value, from the clause on that has its subject. */
function withSubject(
  clauses: readonly Clause[],
  value: Value,
  sentence: AnalysedSentence,
  values: readonly Value[],
): Clause {
  let i = clauses.findIndex(({ from, to }) => value.from >= from && value.from < to);
  if (i < 0) return { from: 0, to: sentence.tokens.length };
  const { to } = clauses[i];
  const hasSubject = ({ from, to: end }: Clause) => {
    const until = value.from >= from ? Math.min(end, value.from) : end;
    const verbAt = sentence.tags.slice(from, until).findIndex(isVerb);
    return (
      verbAt !== 0 && stemsIn(sentence, { from, to: verbAt > 0 ? from + verbAt : until }, values).size > 0
    );
  };
  while (i > 0 && !hasSubject(clauses[i])) i--;
  return { from: clauses[i].from, to };
}

function stemsIn(
  sentence: AnalysedSentence,
  { from, to }: Clause,
  values: readonly Value[],
  stated?: Value,
): ReadonlySet<string> {
  const { words, tags } = sentence;
  const isFree = (at: number) => !values.some((value) => at >= value.from && at < value.to);
  const start = stated ? changedFrom(sentence, from, stated.from) : from;
  const stems = new Set<string>();
  for (let at = start; at < to; at++) {
    if (!isNoun(sentence, at) || !isFree(at) || (stated && stems.size > 0 && isDetail(sentence, at, stated)))
      continue;
    for (const stem of toContent(words[at])) if (!isGeneral(stem, words[at], words[at + 1])) stems.add(stem);
    // `Chapter 4` is another thing than `Chapter 3`.
    if (at + 1 < to && tags[at + 1] === 'CD' && isFree(at + 1))
      stems.add(`${words[at]} ${words[at + 1]}`.toLowerCase());
  }
  return stems;
}

/** `Upgraded staging from`: the tagger takes the thing that was changed for a verb. */
const isNoun = ({ words, tags }: AnalysedSentence, at: number) =>
  noun.test(tags[at]) || (tags[at] === 'VBG' && at > 0 && changeVerb.test(words[at - 1]));

/** Whether a word after the value does not limit it: its last preposition is not one of `limit`. */
function isDetail({ words, tags }: AnalysedSentence, at: number, { to }: Value): boolean {
  let before = at;
  while (before >= to && !/^(IN|TO)$/.test(tags[before])) before--;
  return at >= to && (before < to || !limit.test(words[before]));
}

/** `new date` is the date; `new house` is another one. */
const isGeneral = (stem: string, word: string, next: string | undefined) =>
  general.test(stem) ||
  changeVerb.test(word) ||
  (/^(new|old)$/.test(stem) && general.test(next?.toLowerCase() ?? ''));

/** Start of the thing that somebody changed, as in `The landlord raised the rent to`; else `from`. */
function changedFrom({ words, tags }: AnalysedSentence, from: number, to: number): number {
  for (let at = from; at < to - 1; at++)
    if (changeVerb.test(words[at]) && /^(DT|PRP\$|NN|JJ)/.test(tags[at + 1])) return at + 1;
  return from;
}

function isFormer(words: readonly string[], at: number, isChanged: boolean): boolean {
  let i = at - 1;
  while (i >= 0 && approximate.test(words[i])) i--;
  if (i < 0 || !before.test(words[i])) return false;
  if (/^from$/i.test(words[i])) return isChanged || beforeOf.test(words[i - 1] ?? '');
  return /^(of|than|longer)$/i.test(words[i]) ? beforeOf.test(words[i - 1] ?? '') : true;
}

/** Joins `from 14:00 to 16:00` in one value, unless the sentence says that something changed. */
function withRanges({ words }: AnalysedSentence, values: readonly Value[]): readonly Value[] {
  if (words.some((word) => changeVerb.test(word))) return values;
  const joined: Value[] = [];
  for (const value of values) {
    const last = joined.at(-1);
    const isRange =
      last?.kind === value.kind &&
      value.from === last.to + 1 &&
      /^(to|until|-|–)$/i.test(words[last.to]) &&
      /^(from|between)$/i.test(words[last.from - 1] ?? '');
    if (!isRange || !last) joined.push(value);
    else
      joined[joined.length - 1] = {
        ...value,
        kind: `${value.kind} range`,
        amount: `${last.amount} ${value.amount}`,
        from: last.from,
      };
  }
  return joined;
}

const statesIn = ({ words, tags }: AnalysedSentence, { from, to }: Clause): ReadonlySet<string> =>
  new Set(
    words
      .slice(from, to)
      .filter((_, i) => /^VB[ZP]$/.test(tags[from + i]))
      .map((word) => lemmaOf(word.toLowerCase())),
  );

/** Whether the verb is in the past and does not say that something was changed. */
function isPast({ words, tags }: AnalysedSentence, { from, to }: Clause): boolean {
  // The tagger takes a first adjective for a verb: `Failed uploads are ...`.
  for (let at = from + 1; at < to; at++) {
    if (tags[at] !== 'VBD' || changeVerb.test(words.slice(at, at + 2).join(' '))) continue;
    const isPassive =
      /^(was|were)$/i.test(words[at]) && words.slice(at + 1, at + 4).some((word) => changeVerb.test(word));
    if (!isPassive) return true;
  }
  return false;
}

function directionsIn({ words, tags }: AnalysedSentence, { from, to }: Clause): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = from; at < to; at++) {
    if (!direction.test(words[at])) continue;
    const next = tags.slice(at + 1, to).findIndex((tag) => noun.test(tag));
    for (const stem of next < 0 ? [] : toContent(words[at + 1 + next]))
      found.set(stem, words[at].toLowerCase());
  }
  return found;
}

function textOf(text: string, { tokens }: AnalysedSentence, { from, to }: Clause): string {
  return from >= to ? '' : text.slice(tokens[from].start, tokens[to - 1].end);
}

function spanOf(text: string, { tokens }: AnalysedSentence, { from, to }: Value): SourceSpan {
  const [start, end] = [tokens[from].start, tokens[to - 1].end];
  return { text: text.slice(start, end), start, end };
}
