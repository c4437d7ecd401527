import type { AnalysedSentence, AnalysedText } from './analysed-text.ts';
import type { EntityMention, EntityType } from './entities/entity.ts';
import { lemmaOf } from './facts/lemma.ts';

/** A phrase that may be a topic of its text. */
export interface TopicCandidate {
  /** In lower case; unique in a text. */
  readonly phrase: string;
  /** An entity as written, or the phrase. */
  readonly name: string;
  /** `name`: a phrase with a proper noun. */
  readonly kind: 'phrase' | 'name' | 'entity';
  readonly words: number;
  /** Number of occurrences in the text. */
  readonly count: number;
}

const topicTypes: readonly EntityType[] = ['TECHNOLOGY', 'PROJECT', 'ORGANIZATION', 'LOCATION'];
const wholeTypes: readonly EntityType[] = [...topicTypes, 'PERSON'];
/** Length of a phrase in UTF-16 units; the maximum is that of topic names in the API. */
const [lengthMin, lengthMax] = [3, 100];
/** Candidates of a text; the first ones, because long texts have their topics at the beginning. */
const candidatesMax = 60;

/**
 * Noun phrases and entities of a text, at most 60; only entities if the text is not English.
 * @param entities of the text, in order
 */
export function topicCandidatesOf(
  { sentences, isEnglish }: AnalysedText,
  entities: readonly EntityMention[],
): TopicCandidate[] {
  const counts = new Map<string, TopicCandidate>();
  const people = new Set(
    entities.filter(({ type }) => type === 'PERSON').map(({ text }) => text.toLowerCase()),
  );
  const add = (phrase: string, name: string, kind: TopicCandidate['kind']) => {
    if (phrase.length < lengthMin || phrase.length > lengthMax || /^\d/.test(phrase) || people.has(phrase))
      return;
    const { count, ...candidate } = counts.get(phrase) ?? {
      phrase,
      name,
      kind,
      words: phrase.split(' ').length,
      count: 0,
    };
    counts.set(phrase, { ...candidate, count: count + 1 });
  };
  let passed = 0;
  for (const sentence of isEnglish ? sentences : []) {
    const { tokens } = sentence;
    while (passed < entities.length && entities[passed].end <= tokens[0].start) passed++;
    const entityAt = entitiesByToken(sentence, entities, passed);
    for (const { from, to, phrase, hasProperNoun } of nounChunksOf(sentence))
      if (!isWithinEntity(sentence, from, to, entityAt))
        add(phrase, phrase, hasProperNoun ? 'name' : 'phrase');
  }
  for (const { text, type } of entities)
    if (topicTypes.includes(type)) add(text.toLowerCase(), text, 'entity');
  return [...counts.values()].slice(0, candidatesMax);
}

/** The entity of each token. Entities are in order, so one pass finds them. */
function entitiesByToken(
  { tokens }: AnalysedSentence,
  entities: readonly EntityMention[],
  first: number,
): (EntityMention | undefined)[] {
  let next = first;
  return tokens.map(({ start }) => {
    while (next < entities.length && entities[next].end <= start) next++;
    const entity = entities[next];
    return entity && entity.start <= start ? entity : undefined;
  });
}

/** Whether a chunk lies within an entity, which is a candidate by itself, or begins with a person. */
function isWithinEntity(
  { tokens }: AnalysedSentence,
  from: number,
  to: number,
  entityAt: readonly (EntityMention | undefined)[],
): boolean {
  const inside = entityAt.slice(from, to).filter((entity) => entity !== undefined);
  if (!inside.some(({ type }) => wholeTypes.includes(type))) return false;
  const [first] = inside;
  return first.type === 'PERSON' || (first.start <= tokens[from].start && first.end >= tokens[to - 1].end);
}

/** The core of a noun phrase: tokens `from` to `to` of a sentence, exclusive. */
interface NounChunk {
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
function nounChunksOf({ words, tags }: AnalysedSentence): NounChunk[] {
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

/** Statistics of the user's other texts, and similarity of phrases to the text. */
export interface TopicContext {
  /** Number of the user's texts with a phrase, given in lower case. */
  textsWith(phrase: string): number;
  /** Number of the user's texts. */
  readonly texts: number;
  /** Cosine of a phrase to the text. */
  closeness(phrase: string): number;
}

/** A key phrase of a text. */
export interface FoundTopic {
  /** An entity as written, or a noun phrase in lower case. */
  readonly name: string;
  readonly score: number;
}

const topicsMax = 3;
/** A single word is a topic only if this many texts have it, or if its cosine to the text is this high. */
const [knownMin, closeMin] = [2, 0.45];
const rarityMax = 5;

/**
 * Key phrases of a text, best first, by similarity to the text, rarity and earlier use; empty rather than a
 * poor one.
 */
export function rankTopics(
  candidates: readonly TopicCandidate[],
  context: TopicContext,
  max = topicsMax,
): FoundTopic[] {
  const scored = candidates.flatMap((candidate) => {
    const score = scoreOf(candidate, context);
    return score === undefined ? [] : [{ phrase: candidate.phrase, name: candidate.name, score }];
  });
  const topics: typeof scored = [];
  for (const topic of scored.sort((a, b) => b.score - a.score)) {
    if (topics.length >= max) break;
    if (!topics.some(({ phrase }) => phrase.includes(topic.phrase) || topic.phrase.includes(phrase)))
      topics.push(topic);
  }
  return topics.map(({ name, score }) => ({ name, score }));
}

function scoreOf({ phrase, kind, words, count }: TopicCandidate, context: TopicContext): number | undefined {
  const texts = context.textsWith(phrase);
  const isKnown = texts >= knownMin;
  const closeness = Math.max(0, context.closeness(phrase));
  if (words === 1 && kind === 'phrase' && !isKnown && closeness < closeMin) return undefined;
  const rarity = Math.min(Math.log(1 + context.texts / (1 + texts)), rarityMax) ** 0.4;
  const length = words === 1 ? 0.8 : words === 2 ? 1.15 : 1;
  const weight = (0.4 + closeness) * (1 + Math.log(count)) * length * rarity;
  return weight * (kind === 'phrase' ? 1 : 1.15) * (isKnown ? 1.25 : 1);
}
