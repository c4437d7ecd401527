/** Kinds of answers that a question may ask for: an entity of a type, or a time. */
const answerTypes = ['PERSON', 'LOCATION', 'TIME'] as const;
export type AnswerType = (typeof answerTypes)[number];

/** Expected answer, from the form of a question. English only; undefined and false for other languages. */
export interface QuestionForm {
  /** Undefined if the query does not show it. */
  readonly answerType: AnswerType | undefined;
  /** Whether the question asks for several answers, which are in several conversations. */
  readonly isListAsked: boolean;
}

/** The beginning of a question shows its form. */
const readLengthMax = 200;
/** Number of words after "what" or "which" that may contain its noun. */
const nounPhraseMax = 5;

const preposition = /^(?:in|at|on|to|for|with|from|by|of|about)$/;
const words = /[a-z0-9'’./-]+/g;
const places = /^(?:cit(?:y|ies)|countr(?:y|ies)|states?|towns?|villages?|places?|locations?|areas?)$/;
const kinds = /^(?:kind|type|sort)s?$/;
/** Words that end the noun phrase, as in "what pets does Nate have". */
const phraseEnd =
  /^(?:is|are|was|were|does?|did|ha[sd]|have|can|could|will|would|should|might|may|must|in|at|on|to|for|with|from|of|about|that|who)$/;
/** Words that a verb precedes: "what replaces the backup". */
const determiner =
  /^(?:the|an?|my|our|your|his|her|its|their|this|these|those|all|any|no|me|us|it|them|against)$/;
const pluralOfItsOwn = /^(?:people|children|men|women)$/;
/** Ends in the s of a plural: not "class", "status", "tennis" or "Melanie's". */
const plural = /^.{2,}[^sui'’]s$/;

/** Pure; reads the first 200 characters. */
export function questionForm(query: string): QuestionForm {
  const all = query.slice(0, readLengthMax).toLowerCase().match(words) ?? [];
  const asked = preposition.test(all[0] ?? '') ? all.slice(1) : all;
  return { answerType: answerTypeOf(asked), isListAsked: isListAsked(asked) };
}

function answerTypeOf([first = '', second = '', third = '']: readonly string[]): AnswerType | undefined {
  if (first === 'where') return 'LOCATION';
  if (first === 'when') return 'TIME';
  if (/^who(?:m|se)?$/.test(first)) return 'PERSON';
  if (!/^(?:what|which)$/.test(first)) return undefined;
  // "which European countries", not "which are countries of".
  return places.test(second) || (!phraseEnd.test(second) && places.test(third)) ? 'LOCATION' : undefined;
}

function isListAsked([first = '', second = '', ...rest]: readonly string[]): boolean {
  if (first === 'list') return true;
  if (first === 'how') return second === 'many';
  if (first === 'name') return /^(?:all|some|every)$/.test(second);
  if (!/^(?:what|which)$/.test(first)) return false;
  if (/^(?:are|were|all|of|ones)$/.test(second)) return true;
  if (kinds.test(second)) return rest[0] === 'of';
  const phrase = [second, ...rest].slice(0, nounPhraseMax);
  const end = phrase.findIndex((word) => phraseEnd.test(word) || determiner.test(word));
  const nouns = end < 0 ? phrase : phrase.slice(0, determiner.test(phrase[end]) ? end - 1 : end);
  return nouns.some(isPlural);
}

/** `bands/artists` is a plural. */
function isPlural(word: string): boolean {
  return word.split('/').some((part) => pluralOfItsOwn.test(part) || (part.length > 3 && plural.test(part)));
}

/** A kind of value: how a query asks for one, and how a text states one. English. */
interface ValueKind {
  readonly asked: RegExp;
  readonly stated: RegExp;
}

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|';
const monthsLate = 'oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|';
const days = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|today|tomorrow|yesterday|';
const spans =
  'tonight|morning|evening|noon|midnight|spring|summer|autumn|winter|weeks?|month|year|christmas|easter';

const valueKinds: readonly ValueKind[] = [
  {
    asked:
      /\b(?:prices?|costs?|fees?|rent|salary|budget|pay|paid|charges?|wage|how much|bill|discount|deposit|loan)\b/i,
    stated:
      /[€£$¥]|\d\s?(?:eur|gbp|usd|kr|nok|sek|zł|zloty|lari|cents?|francs?|k)\b|\b(?:euros?|pounds?|dollars?|free|cheap\w*|expensive|kr)\b|\b\d{3}|\b0\.\d|\bhundred|thousand/i,
  },
  {
    asked:
      /^(?:since )?when\b|^what (?:time|day|date)\b|\b(?:dates?|deadline|birthday|due|appointment|until when)\b/i,
    stated: new RegExp(
      `\\b(?:${months}${monthsLate}${days}${spans})\\b|\\b\\d{1,2}(?:st|nd|rd|th|[:.]\\d{2}|/\\d)|\\b(?:19|20)\\d{2}\\b|\\bday \\d`,
      'i',
    ),
  },
  {
    asked:
      /\bhow (?:many|long|old|big|far|often|large|fast|high|early|late|tall)\b|\b(?:timeout|interval|limit|rate|size|count|threshold|length|duration|lifetime|retention|cap|temperature|number of|percentage|weight|memory|version|port)\b/i,
    stated:
      /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|half|twice|once|each|every|daily|weekly|double)\b/i,
  },
  {
    asked: /\b(?:phone|telephone|iban|account (?:number|id)|passport number|zip|postcode)\b/i,
    stated: /\d{3}|\+\d/,
  },
  {
    asked: /^(?:(?:to|with) )?who(?:m|se)?\b|\b(?:owner|author|contact)\b/i,
    stated:
      /(?<=[a-z,;:.)] )\p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+ (?:is|was|has|does|did|said|found|[a-z]+s|[a-z]+ed)\b|\b(?:I|me|we|he|she|my|his|her|our|us|team|board|nobody|everyone)\b/u,
  },
  {
    asked: /^where\b|\b(?:address|location|city)\b/i,
    stated: /\b(?:in|at|on|to|from|near|behind|under|above|into|street|road|via|next to|beside)\b/i,
  },
];

const queryLengthMax = 200;

/** Kinds of values that a query asks for, as bits; 0 if its form shows none. */
export function valueKindsAsked(query: string): number {
  return bitsOf(query.slice(0, queryLengthMax), 'asked');
}

/** Kinds of values that a text states, as bits. */
export function valueKindsIn(text: string): number {
  return bitsOf(text, 'stated');
}

function bitsOf(text: string, form: keyof ValueKind): number {
  return valueKinds.reduce((bits, kind, i) => (kind[form].test(text) ? bits | (1 << i) : bits), 0);
}
