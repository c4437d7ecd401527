import type { AnalysedSentence, AnalysedText } from './analysed-text.ts';
import { type EntityMention, type EntityType, isSupportedMention } from './entities/entity.ts';
import { lemmaOf } from './facts/lemma.ts';
import { correctTags } from './facts/parser-input.ts';
import type { LanguageModel } from './language-model.ts';
import type { Lexicon } from './models/word-lists.ts';
import { general, imperative, judging, pureVerb, stopWords } from './text/plain-words.ts';
import { isCommit, isTalk } from './text/prose.ts';

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
  /** Number of other texts that must have it, above 0 for phrases of talk and of commits. */
  readonly othersMin: number;
}

/** Rank in the vocabulary from which on a single word is no general one: `line`, `room`, `request`. */
const rareFrom = 7000;
/** No number of other texts makes a general word a topic. */
const never = Number.MAX_SAFE_INTEGER;
const topicTypes: readonly EntityType[] = ['TECHNOLOGY', 'PROJECT', 'ORGANIZATION', 'LOCATION'];
const wholeTypes: readonly EntityType[] = [...topicTypes, 'PERSON'];
/** Length of a phrase in UTF-16 units; the maximum is that of topic names in the API. */
const [lengthMin, lengthMax] = [3, 100];
/** Candidates of a text; the first ones, because long texts have their topics at the beginning. */
const candidatesMax = 60;
/** Other texts that must have a phrase of a talk or a commit: of nouns alone, and with an adjective. */
const othersOfTerse = [2, 4] as const;

/**
 * Noun phrases and entities of a text, at most 60; only entities if the text is not English.
 * @param entities of the text, in order
 */
export function topicCandidatesOf(
  model: LanguageModel,
  analysed: AnalysedText,
  entities: readonly EntityMention[],
): TopicCandidate[] {
  const counts = new Map<string, TopicCandidate>();
  const people = new Set(
    entities.filter(({ type }) => type === 'PERSON').map(({ text }) => text.toLowerCase()),
  );
  const add = (phrase: string, name: string, kind: TopicCandidate['kind'], othersMin = 0) => {
    if (phrase.length < lengthMin || phrase.length > lengthMax || /^\d/.test(phrase) || people.has(phrase))
      return;
    const { count, ...candidate } = counts.get(phrase) ?? {
      phrase,
      name,
      kind,
      words: phrase.split(' ').length,
      count: 0,
      othersMin,
    };
    counts.set(phrase, { ...candidate, count: count + 1 });
  };
  const isTerse = isTalk(analysed) || isCommit(analysed.text);
  const [othersOfNouns, othersOfOthers] = isTerse ? othersOfTerse : [0, 0];
  const isGeneral = (phrase: string) => (model.lexicon.rank.get(phrase) ?? rareFrom) < rareFrom;
  for (const { phrase, hasProperNoun, isOfNouns } of phrasesOf(model, analysed, entities))
    add(
      phrase,
      phrase,
      hasProperNoun ? 'name' : 'phrase',
      isGeneral(phrase) ? never : isOfNouns ? othersOfNouns : othersOfOthers,
    );
  for (const entity of entities)
    if (topicTypes.includes(entity.type) && isSupportedMention(entity))
      add(entity.text.toLowerCase(), entity.text, 'entity');
  return [...counts.values()].slice(0, candidatesMax);
}

/** The noun phrases of a text that are no part of an entity. */
function* phrasesOf(
  model: LanguageModel,
  { text, sentences, isEnglish }: AnalysedText,
  entities: readonly EntityMention[],
): Generator<NounChunk> {
  let passed = 0;
  const isOfCommit = isCommit(text);
  for (const sentence of isEnglish ? sentences : []) {
    const { tokens } = sentence;
    while (passed < entities.length && entities[passed].end <= tokens[0].start) passed++;
    const entityAt = entitiesByToken(sentence, entities, passed);
    for (const chunk of nounChunksOf(model, sentence, isOfCommit))
      if (!isWithinEntity(sentence, chunk.from, chunk.to, entityAt)) yield chunk;
  }
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
  /** Whether it has no adjective and no participle. */
  readonly isOfNouns: boolean;
}

const wordsMax = 3;
const chunkTag = /^(NN|NNS|JJ|NNP|NNPS)$/;
const nounTag = /^(NN|NNS)$/;
const verbalTag = /^VB[GN]$/;
const beforeParticiple = /^(DT|PRP\$|POS)$/;
const finite = /^(VBZ|VBD|VBP|MD)$/;
const sibilant = /(s|x|z|ch|sh)es$/;
const letter = /\p{L}/u;
const digit = /\d/;
const code = /[._/(){}]|[a-z][A-Z]/;
const unit = /^(?:[kmgt]?b|[km]?g|[kcm]?m|ms|min|h|kw|kwh|percent|euros?|pounds?|dollars?)$/i;
const greeting = /^(thanks|hey|hi|wow|yep|yeah|congrats|aw|woohoo|let|u[hm]+|hmm+|oh|haha|lol|please|dear)$/i;
const invariable = /(ss|us|is|ics|news|series|species)$/;
/** Runs of adjectives and nouns that end in a noun. */
function nounChunksOf(
  model: LanguageModel,
  { words, tags: given }: AnalysedSentence,
  isOfCommit: boolean,
): NounChunk[] {
  const tags = correctTags(model, words, given);
  const chunks: NounChunk[] = [];
  for (let i = 0; i < words.length; ) {
    const end = runEnd(words, tags, i);
    const chunk = end > i ? trimmed({ words, tags, isOfCommit }, model.lexicon, i, end) : undefined;
    if (chunk) chunks.push(chunk);
    i = Math.max(end, i + 1);
  }
  return chunks;
}

/** End of the run of adjectives and nouns from `i` on; it may begin with a participle (`the running shoes`). */
function runEnd(words: readonly string[], tags: readonly string[], i: number): number {
  if (!letter.test(words[i])) return i;
  const isVerbal = verbalTag.test(tags[i]);
  if (isVerbal && !beforeParticiple.test(tags[i - 1] ?? '')) return i;
  const inside = isVerbal ? nounTag : chunkTag;
  let end = isVerbal ? i + 1 : i;
  while (end < words.length && inside.test(tags[end]) && (isVerbal || letter.test(words[end]))) end++;
  return isVerbal && end === i + 1 ? i : end;
}

/** Words of a sentence with their tags as corrected. */
interface TaggedWords {
  readonly words: readonly string[];
  readonly tags: readonly string[];
  readonly isOfCommit: boolean;
}

function trimmed(sentence: TaggedWords, lexicon: Lexicon, start: number, end: number): NounChunk | undefined {
  const { words, tags } = sentence;
  if (isInCode(words, start) || words.slice(start, end).some((word) => code.test(word))) return undefined;
  const [from, to] = endsOf(sentence, start, end);
  const inside = words.slice(from, to).map((word) => word.toLowerCase());
  if (from >= to || inside.some((word) => stopWords.has(word) || !isTopicWord(word))) return undefined;
  if (new Set(inside).size < inside.length || isPast(words[to - 1], lexicon)) return undefined;
  if (isVerbOfClause(sentence, lexicon, from, to)) return undefined;
  const last = singular(inside[inside.length - 1], tags[to - 1], lexicon);
  if (general.test(last) || (inside.length === 1 && (stopWords.has(last) || digit.test(last))))
    return undefined;
  const phrase = [...inside.slice(0, -1), last].join(' ');
  const hasProperNoun = tags.slice(from, to).includes('NNP');
  const isOfNouns = tags.slice(from, to).every((tag) => tag.startsWith('NN'));
  return { from, to, phrase, words: inside.length, hasProperNoun, isOfNouns };
}

/** The ends of a run of adjectives and nouns without the words that name nothing. */
function endsOf({ words, tags }: TaggedWords, start: number, end: number): [from: number, to: number] {
  let [from, to] = [start, end];
  const isPlain = (i: number) => judging.test(words[i]) || stopWords.has(words[i].toLowerCase());
  while (to > from && (!tags[to - 1].startsWith('NN') || pureVerb.test(words[to - 1]))) to--;
  if (from < to && subjectPronoun.test(words[from - 1] ?? '')) from++;
  while (from < to && isPlain(from)) from++;
  if (from < to && tags[from - 1] === 'CD' && unit.test(words[from])) from++;
  from = Math.max(from, to - wordsMax);
  while (from < to && greeting.test(words[from])) from++;
  if (from < to && isCommand(words, tags, from, end)) from++;
  return [from, to];
}

const subjectPronoun = /^(I|you|he|she|it|we|they|who|which)$/i;
const wholeWord = /^(?:\p{L}[\p{L}\p{N}\p{M}'’+#-]+|\p{N}\p{L}+)$/u;
const pointing =
  /^(?:anything|everything|something|nothing|anyone|everyone|someone|neither|either|both|one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|third|fourth|fifth|left|right|wrong|odd|false|own|lots?)$/i;
const isTopicWord = (word: string) => wholeWord.test(word) && !pointing.test(word);

/** Whether a word is the past of a verb, which the tagger took for a noun: `the handle broken`, `said`. */
function isPast(word: string, { verbs }: Lexicon): boolean {
  const key = word.toLowerCase();
  const lemma = lemmaOf(key);
  return lemma !== key && verbs.has(lemma) && !/(?:s|ing)$/.test(key);
}

const clauseEnd = /^[.,;:!?()–—-]$/;

/** Whether the last word is the verb of its clause, which the tagger took for a plural: `the contract renews`. */
function isVerbOfClause(
  { words, tags, isOfCommit }: TaggedWords,
  { verbs }: Lexicon,
  from: number,
  to: number,
): boolean {
  const last = words[to - 1].toLowerCase();
  if (from === to - 1 || tags[to - 1] !== 'NNS' || !verbs.has(lemmaOf(last))) return false;
  if (isOfCommit) return true;
  let [start, end] = [from, to];
  while (start > 0 && !clauseEnd.test(words[start - 1])) start--;
  while (end < words.length && !clauseEnd.test(words[end])) end++;
  return !tags.slice(start, end).some((tag) => finite.test(tag));
}

/** Whether an odd number of backticks comes before the word. */
function isInCode(words: readonly string[], at: number): boolean {
  let ticks = 0;
  for (let i = 0; i < at; i++) if (words[i] === '`') ticks++;
  return ticks % 2 === 1;
}

/** Whether a phrase begins with its verb, which the tagger took for a noun: `add info`, `update docs`. */
function isCommand(words: readonly string[], tags: readonly string[], from: number, end: number): boolean {
  if (pureVerb.test(words[from])) return true;
  const isFirst = from === 0 || !letter.test(words[from - 1]);
  return isFirst && imperative.test(words[from]) && !tags.slice(end).some((tag) => finite.test(tag));
}

/** The singular of a plural noun: of its possible forms one that the vocabulary has. */
function singular(noun: string, tag: string, { rank, technologies }: Lexicon): string {
  if (tag !== 'NNS' || invariable.test(noun) || technologies.has(noun)) return noun;
  const forms = [noun.replace(/ies$/, 'y'), noun.replace(/s$/, ''), noun.replace(/es$/, '')];
  const known = forms.find((form) => form !== noun && rank.has(form));
  if (known !== undefined) return known;
  return forms[sibilant.test(noun) ? 2 : noun.endsWith('ies') ? 0 : 1];
}

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

function scoreOf(
  { phrase, kind, words, count, othersMin }: TopicCandidate,
  context: TopicContext,
): number | undefined {
  const texts = context.textsWith(phrase);
  if (othersMin > 0 && (words === 1 || texts < othersMin)) return undefined;
  const isKnown = texts >= knownMin;
  const closeness = Math.max(0, context.closeness(phrase));
  if (words === 1 && kind === 'phrase' && !isKnown && closeness < closeMin) return undefined;
  const rarity = Math.min(Math.log(1 + context.texts / (1 + texts)), rarityMax) ** 0.4;
  const length = words === 1 ? 0.8 : words === 2 ? 1.15 : 1;
  const weight = (0.4 + closeness) * (1 + Math.log(count)) * length * rarity;
  return weight * (kind === 'phrase' ? 1 : 1.15) * (isKnown ? 1.25 : 1);
}
