import type { AnalysedSentence } from '../analysed-text.ts';
import { lemmaOf } from '../facts/lemma.ts';

/** The core of a noun phrase: tokens `from` to `to` of a sentence, exclusive. */
export interface NounChunk {
  readonly from: number;
  readonly to: number;
  /** In lower case, the last word in the singular. */
  readonly phrase: string;
  readonly words: number;
  readonly hasProperNoun: boolean;
}

const wordsMax = 4;
const chunkTag = /^(NN|NNS|JJ|NNP|NNPS)$/;
const nounTag = /^(NN|NNS)$/;
const verbalTag = /^VB[GN]$/;
const letter = /\p{L}/u;
const digit = /\d/;
const code = /[._/(){}]|[a-z][A-Z]/;
const greeting = /^(thanks|hey|hi|wow|yep|yeah|congrats|aw|woohoo|let)$/i;
const invariable = /(ss|us|is|ics|news)$/;
const stopWords = new Set(
  'a about am an and are as at be been being but by can could d did do does doing don during each few for from further had has have he her here hers herself him himself his how i if in into is it its itself just ll m me more most my no nor not now of off on once only or other our out over own re s same she should so some such t than that the their them then there these they this to too under until up ve very was we were what when where which who whom why will with would you your'.split(
    ' ',
  ),
);
/** Adjectives that say nothing about a topic. */
const judging =
  /^(great|good|nice|awesome|amazing|beautiful|cool|lovely|wonderful|inspiring|special|important|incredible|stunning|cute|sweet|perfect|fantastic|bad|awful|terrible|sad|happy|hard|tough|easy|same|other|own|such|many|much|few|several|whole|last|next|first|second|new|old|big|small|little|huge|favorite|favourite|real|sure|able|more|most|less|least|only|certain|various|different|recent|current|previous|early|late|long|short|full|some|any|every|all)$/i;
/** Nouns that are no topic, nor the head of one. */
const general =
  /^(thing|things|way|lot|bit|time|times|day|days|week|weeks|month|months|year|years|today|yesterday|tomorrow|morning|evening|night|weekend|minute|minutes|hour|hours|second|seconds|one|ones|something|anything|everything|someone|stuff|kind|sort|type|part|case|point|place|person|people|guy|guys|man|pic|photo|picture|image|example|number|amount|end|start|result|use|need|moment|moments|fun|thanks|congrats|wow|hey|hi|yeah|yep|luck|life|world|good|great|new|first|last|next|more|most|other|others|same|own|mind|idea|heart|word|words|kinda|gonna|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)$/;

/** Runs of adjectives and nouns that end in a noun. */
export function nounChunksOf({ words, tags }: AnalysedSentence): NounChunk[] {
  const chunks: NounChunk[] = [];
  for (let i = 0; i < words.length; ) {
    const end = runEnd(words, tags, i);
    const chunk = end > i ? trimmed(words, tags, i, end) : undefined;
    if (chunk) chunks.push(chunk);
    i = Math.max(end, i + 1);
  }
  return chunks;
}

/** End of the run of adjectives and nouns from `i` on; it may begin with a participle (`running shoes`). */
function runEnd(words: readonly string[], tags: readonly string[], i: number): number {
  if (!letter.test(words[i])) return i;
  const isVerbal = verbalTag.test(tags[i]);
  const inside = isVerbal ? nounTag : chunkTag;
  let end = isVerbal ? i + 1 : i;
  while (end < words.length && inside.test(tags[end]) && (isVerbal || letter.test(words[end]))) end++;
  return isVerbal && end === i + 1 ? i : end;
}

function trimmed(
  words: readonly string[],
  tags: readonly string[],
  start: number,
  end: number,
): NounChunk | undefined {
  let [from, to] = [start, end];
  while (to > from && !tags[to - 1].startsWith('NN')) to--;
  while (from < to && (judging.test(words[from]) || stopWords.has(words[from].toLowerCase()))) from++;
  from = Math.max(from, to - wordsMax);
  if (words.slice(from, to).some((word) => code.test(word))) return undefined;
  while (from < to && greeting.test(words[from])) from++;
  if (from >= to) return undefined;
  const lower = words.slice(from, to).map((word) => word.toLowerCase());
  const last = singular(lower[lower.length - 1], tags[to - 1]);
  if (general.test(last) || (lower.length === 1 && (stopWords.has(last) || digit.test(last))))
    return undefined;
  const phrase = [...lower.slice(0, -1), last].join(' ');
  const hasProperNoun = tags.slice(from, to).includes('NNP');
  return { from, to, phrase, words: lower.length, hasProperNoun };
}

const singular = (noun: string, tag: string) =>
  tag === 'NNS' && !invariable.test(noun) ? lemmaOf(noun) : noun;
