import type { PatternType } from '../pattern.ts';
import { partOfWhatWasSaid, targetIn, wordsOf } from './words.ts';

/** A claim as read from one sentence. */
export interface StatedClaim {
  readonly type: PatternType;
  /** Undefined for the speaker. */
  readonly owner?: string;
  readonly target: string;
  readonly against?: string;
  readonly isNegated: boolean;
  readonly name: string;
}

type Form = (sentence: string) => StatedClaim | undefined;

const who = String.raw`(?:(I|we|\p{Lu}[\p{L}]+)\s+)`;
const adverb = '(?:(?:really|absolutely|also|still|just|much|strongly|always|now|generally)\\s+)?';
const day = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';

const days = new RegExp(`\\b${day}s?\\b|\\b(?:mornings?|evenings?|nights?|week|awful)\\b`, 'giu');

const ownerOf = (word: string | undefined) => (word && !/^(?:i|we)$/iu.test(word) ? word : undefined);
/** Capitalised first words that are no names. */
const noOwner =
  /^(?:the|it|he|she|they|you|this|that|these|those|there|who|what|people|everyone|everybody|nobody|would|could|should|not|and|but|so|or|if|when|does|did|don't|one|some|most|all|any|children|kids|my|our|his|her|their|things?|would)$/iu;

function reading(
  type: PatternType,
  words: {
    owner?: string;
    target?: string;
    against?: string;
    isNegated?: boolean;
    name: (target: string) => string;
  },
): StatedClaim | undefined {
  if (words.owner !== undefined && noOwner.test(words.owner)) return undefined;
  const target = words.target === undefined ? undefined : targetIn(words.target);
  if (target === undefined) return undefined;
  const against = words.against === undefined ? undefined : targetIn(words.against);
  const name = words.name(target) + (against === undefined ? '' : `, not ${against}`);
  return {
    type,
    owner: ownerOf(words.owner),
    target,
    against,
    isNegated: words.isNegated ?? false,
    name,
  };
}

function form(pattern: string, read: (match: RegExpExecArray) => StatedClaim | undefined, flags = 'u'): Form {
  const regex = new RegExp(pattern, flags);
  return (sentence) => {
    const match = regex.exec(sentence);
    return match ? read(match) : undefined;
  };
}

const prefers = form(
  `(?:^|[\\s,])${who}${adverb}(?:(?:w|W)ould\\s+)?prefers?\\s+(.+?)(?:\\s+(?:over|to|instead of|rather than)\\s+(.+))?$`,
  ([, owner, target, against]) =>
    reading('preference', { owner, target, against, name: (x) => `Prefers ${x}` }),
);

const rather = form("\\bI(?:['’]d| would)\\s+rather\\s+not\\s+(.+)$", ([, target]) =>
  reading('preference', { target, isNegated: true, name: (x) => `Would rather not ${x}` }),
);

/** Liking of one thing at hand ("the plot", "your turtles so much"), not of a kind ("the mountains in winter"). */
const isOneThing =
  /^(?:(?:his|her|their|your|its|our)\b|the (?!(?:[\p{L}-]+ ){0,1}[\p{Ll}]+[^s\W]s\b)|all the\b|an? (?:lot|bit|little)\b|stuff\b)|\b(?:so much|lol|it|them|you|him|her|this)\b/iu;

const likes = form(
  `(?:^|[,;:]\\s+|\\b(?:and|but|because|that)\\s+)${who}${adverb}(love|like|enjoy|adore|hate|detest|dislike|can['’]t stand|don['’]t like|refuse to)(s?)\\s+(.+)$`,
  ([, owner, verb, s, target]) => {
    if ((s === '') === (ownerOf(owner) !== undefined)) return undefined;
    // "Ida like ..." is no statement about Ida, and "I like that" does not name its object.
    if (
      /^(?:that|this|it|them|you|him|her|how|when|what|to think)\b/iu.test(target) ||
      partOfWhatWasSaid.test(target) ||
      isOneThing.test(target) ||
      (/^to\s/iu.test(target) && target.split(/\s+/u).length < 4)
    )
      return undefined;
    const isNegated = /^(?:hate|detest|dislike|can|don|refuse)/iu.test(verb);
    return reading('preference', {
      owner,
      target,
      isNegated,
      name: (x) => `${isNegated ? 'Dislikes' : 'Likes'} ${x}`,
    });
  },
);

const notAVerb =
  '(?!(?:the|a|an|again|mind|ever|been|have|had|was|were|is|are|be|happy|too|as|at|in|on|to|in|from|than|with|so|quite|one|before|after|that|this|it|more|salmon|maybe|below|above|got|saw|knew|went|did|came|said|told|lies|dies|sleeps|here|there|by|for|of|me|you|him|her|them|what|why|emoji)\\b)';
const baseVerb = `${notAVerb}([\\p{Ll}]+(?<!ed|ing|ever)(?:\\s.+)?)$`;

const habitually = form(
  `(?:^|[,;]\\s+|\\b(?:and|but|because)\\s+)(I|we|We|\\p{Lu}[\\p{L}]+)\\s+(always|never|usually|normally|typically)\\s+${baseVerb}`,
  ([, owner, word, target]) => {
    const isNegated = word === 'never';
    return reading('habit', {
      owner,
      target,
      isNegated,
      name: (x) => `${word[0].toUpperCase()}${word.slice(1)} ${x}`,
    });
  },
);

/** Before a demand, and what may stand between it and another clause. */
const begin = String.raw`(?:^(?:(?:and|so|but|also|ok|okay|yes|no|please|well|oh)\b[,.:]?\s+){0,3}|[,;:.]\s+(?:please\s+)?)`;

const doNotUse = form(
  `${begin}(?:don['’]t|do not|never)\\s+(use|run|write|call|take)\\s+([^,;:]{2,60})[,;:–—-]\\s*(?:but\\s+|and\\s+)?(?:please\\s+)?(?:(?:always\\s+)?(?:use|run|write|take|call|prefer)\\s+|always\\s+)(.+)$`,
  ([, verb, against, target]) =>
    reading('correction', { target, against, name: (x) => `${verb[0].toUpperCase()}${verb.slice(1)} ${x}` }),
  'iu',
);

const useNot = form(
  `${begin}(?:use|go with|write|choose)\\s+(.+?),?\\s+(?:instead of|rather than|not|and not|never)\\s+(.+)$`,
  ([, target, against]) => reading('correction', { target, against, name: (x) => `Use ${x}` }),
  'iu',
);

const noNotUse = form(
  `${begin}not\\s+(?:the\\s+)?([^,;.]{2,40})[,;.].*?\\b(?:use|take)\\s+(.+)$`,
  ([, against, target]) => reading('correction', { target, against, name: (x) => `Use ${x}` }),
  'iu',
);

/** Numbers and times are values that changed, not ways of working. */
const switched = form(
  `^(?:we|I|the team|the project|our team|this repo)(?:['’]ve|\\s+have|\\s+has)?\\s+(?:switched|migrated|changed)\\s+(?:over\\s+|everything\\s+)?from\\s+(.+?)\\s+to\\s+(.+)$`,
  ([, against, target]) =>
    /\d/u.test(target + against)
      ? undefined
      : reading('correction', { target, against, name: (x) => `Now ${x}` }),
  'iu',
);

const regularTime = `\\b(?:every|each)\\s+(?:single\\s+)?(?:morning|evening|night|day|week|weekday|weekend|month|${day})\\b|\\bon\\s+${day}s\\b|^${day}s\\b`;
const isRegular = new RegExp(regularTime, 'iu');

/** Past tense does not state a habit: "I ate cake every day", on a journey. */
const isPast =
  /\b(?:was|were|had|did|went|came|got|took|saw|ate|drank|swam|ran|sat|slept|spent|made|gave|told|said|\p{Ll}{2,}ed)\b/iu;
/** Opening hours are not a habit. */
const isOpeningTime = /\b(?:open|opens|closed|closes)\b/iu;

// "I find it grey, but she's there every month": `targetIn` cuts the part with the time, so no habit is left.
const regularly = form(
  `^(.*?(?:${regularTime}).*)$`,
  ([, target]) => {
    if (wordsOf(target.replace(days, '')).size < 3) return undefined;
    if (isPast.test(target) || isOpeningTime.test(target)) return undefined;
    const read = reading('habit', { target: target.replace(/[,;:]/gu, ''), name: (x) => x });
    return read && isRegular.test(read.target) ? read : undefined;
  },
  'iu',
);

/** The name of a tool: with a capital, a digit, a mark or a quote; "time" and "basic colours" are none. */
const isNamed = /^(?:\p{Lu}|[`\p{Ll}]*[\d`._+#/-])/u;

const uses = form(
  `(?:^|[,;]\\s+|\\b(?:and|but|because)\\s+)${who}(?:now\\s+|only\\s+|mostly\\s+)?(?:use|uses|switched to)\\s+(?!(?:to|for|the same|it|that|this|into|out|away|over|up|off|from|in|at|a|an)\\b)(.+?)(?:\\s+(?:for|to|in|on|with)\\s+.+)?$`,
  ([, owner, target]) =>
    !isNamed.test(target) || target.split(' ').length > 4
      ? undefined
      : reading('tool', { owner, target, name: (x) => `Uses ${x}` }),
);

/** The most specific first: the first form that matches a sentence reads it. */
const corrections: readonly Form[] = [doNotUse, useNot, noNotUse, switched];
const claims: readonly Form[] = [prefers, rather, likes, habitually, regularly, uses];

const firstOf = (among: readonly Form[], sentence: string) => {
  for (const form of among) {
    const read = form(sentence);
    if (read) return read;
  }
  return undefined;
};

/** One thing in place of another: "use vitest instead of jest". */
export const correctionIn = (sentence: string): StatedClaim | undefined => firstOf(corrections, sentence);

/** A preference, habit or tool of the speaker or of whom the sentence names. */
export const claimIn = (sentence: string): StatedClaim | undefined => firstOf(claims, sentence);
