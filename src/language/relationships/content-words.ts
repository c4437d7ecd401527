import { lemmaOf } from '../facts/lemma.ts';
import type { Lexicon } from '../models/word-lists.ts';

/** Words without content: they do not tell the subject of a text. */
export const stopWords: ReadonlySet<string> = new Set(
  "a an the of to in on at for from with by and or but is are was were be been am it its this that these those there here i me my we our you your he she they him his her their us do does did have has had will would can could should not no n't so as if than then too very just also please when while up out about into over after before because since now still again any more longer".split(
    ' ',
  ),
);
const numberWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const canonical = new Map<string, string>([
  ...numberWords.map((word, number) => [word, `${number}`] as const).slice(1),
  ['postgres', 'postgresql'],
  ['k8s', 'kubernetes'],
  ['db', 'database'],
]);
const ending = /(ly|er|ment|ness|tion|s)$/;
const shortMax = 6;
const sign = /[\p{L}\p{N}]/u;
const hyphenated = /^[\p{L}]+-[\p{L}]+$/u;

/** Base form of a word; a long one loses its derivational ending. */
export function stemOf(word: string): string {
  const lemma = lemmaOf(word);
  return lemma.length > shortMax ? lemma.replace(ending, '') : lemma;
}

const filler =
  /^(yeah|yep|yes|nope|um+|uh+|uhm|mm+|mm-hmm|uh-huh|hm+|okay|ok|oh|ah|huh|alright|hey|hi|wow|lol|haha)$/i;
const fillerAlone = /^(right|well|like|so|sure|anyway|no|good|basically)$/i;
const pause = /^[.,!?;]$/;

/** Whether the word fills a pause or agrees, as in transcripts of speech: `um`, or `right` between two marks. */
export const isFiller = (words: readonly { readonly word: string }[], at: number) =>
  filler.test(words[at].word) ||
  (fillerAlone.test(words[at].word) &&
    pause.test(words[at - 1]?.word ?? '.') &&
    pause.test(words[at + 1]?.word ?? '.'));

/** Form of a word for comparisons: `eight` is `8`, `k8s` is `kubernetes`. */
export const canonicalOf = (word: string) => canonical.get(word) ?? word;

/** Stems of a content word; empty for other words. */
export function toContent(word: string): string[] {
  const lower = word.toLowerCase();
  if (!sign.test(lower) || stopWords.has(lower)) return [];
  const parts = hyphenated.test(lower) ? lower.split('-') : [lower];
  return parts.map((part) => canonical.get(part) ?? stemOf(part));
}

/** Small talk, and words common to all repairs: they do not relate two texts. */
const talk =
  /^(hey|hi|hello|thank|thanks|awesome|wow|yeah|yep|bye|cool|congrat|congrats|glad|sure|great|hope|wait|happen|joy|tough|wild|exciting|excite|amazing|stay|kinda|gonna|ve|'ve|ll|update|appreciate|support|fix|fixed|resolve|finish|solve|chat|catch)$/;
const farewell = /^(see|later|definitely|bye|good|morn|morning|night|everyone|soon)$/;
/** Ranks in the vocabulary: signs and single characters come first, then words by falling frequency. */
const commonestRank = 3300;
const commonRank = 2200;
const digit = /\d/;

/** Whether a stem tells the subject of a text: not one of the 1,300 commonest words and no small talk. */
export function isTopical({ rank }: Lexicon, stem: string): boolean {
  if (talk.test(stem) || stem.length <= 2) return false;
  return (rank.get(stem) ?? Number.POSITIVE_INFINITY) > commonestRank || digit.test(stem);
}

/** Like `isTopical`, but excludes only the 200 commonest words. */
export function isSubstantial(lexicon: Lexicon, stem: string): boolean {
  if (talk.test(stem) || farewell.test(stem)) return false;
  return isTopical(lexicon, stem) || (lexicon.rank.get(stem) ?? 0) > commonRank;
}
