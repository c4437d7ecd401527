import type { Page, PageRequest } from '../../domain/shared/page.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { type Topic, type TopicName, topicWords } from '../../domain/topics/topic.ts';
import { namesByWords } from '../../domain/topics/topic-service.ts';
import type { ShortTexts } from '../../search-index/vectors/short-texts.ts';
import type { RetrievalDeps } from '../candidates.ts';
import { isMatch, wordsAndSimilarity } from '../scores/words-and-similarity.ts';
import type { SimilarTopic, TopicHit } from '../search-port.ts';

export interface TopicSearchDeps extends Pick<RetrievalDeps, 'stores'> {
  /** Topics with a lower score are left out. */
  readonly relevanceFloor?: number;
  readonly shortTexts?: ShortTexts;
}

/** Maximum number of names to compare semantically, the first in order; later ones are found by words. */
const namesMax = 20_000;

interface Ranked {
  readonly id: string;
  readonly name: string;
  readonly score: number;
}

/** See `Search.topics`. */
export async function rankTopics(
  { stores, shortTexts, relevanceFloor = 0 }: TopicSearchDeps,
  user: UserRef,
  query: string,
  { limit, offset }: PageRequest,
): Promise<Page<TopicHit>> {
  const { topics } = stores.forUser(user);
  const byWords = await namesByWords(topics, query);
  const words = new Map(byWords.map(({ normalizedName, score }) => [normalizedName, score]));
  const names = shortTexts ? each(byWords, await topics.names(namesMax)) : byWords;
  const near = await shortTexts?.similarities(
    readable(query),
    names.map(({ name }) => readable(name)),
  );
  const isLatin = speaksLatin(query) && shortTexts?.reads(query) === true;
  const best = new Map<string, Ranked>();
  for (const [i, { topicId, topicName, normalizedName }] of names.entries()) {
    const byWord = words.get(normalizedName) ?? 0;
    const similarity = isLatin && speaksLatin(names[i].name) ? (near?.[i] ?? 0) : 0;
    if (!isMatch(byWord, similarity)) continue;
    const score = wordsAndSimilarity(byWord, similarity);
    if (score >= relevanceFloor && score > (best.get(topicId)?.score ?? 0))
      best.set(topicId, { id: topicId, name: topicName, score });
  }
  const ranked = [...best.values()].sort((a, b) => b.score - a.score || inOrder(a.name, b.name));
  const page = ranked.slice(offset, offset + limit);
  const scores = new Map(page.map(({ id, score }) => [id, score]));
  const found = await topics.findMany(page.map(({ id }) => id));
  const items = found.map((topic) => ({ topic, score: scores.get(topic.id) ?? 0 }));
  return { items, limit, offset, count: ranked.length };
}

/** Each name once. */
function each(...lists: readonly (readonly TopicName[])[]): TopicName[] {
  return [...new Map(lists.flat().map((name) => [name.normalizedName, name])).values()];
}

function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** See `Search.similarTopics`. */
export async function similarTopics(
  { stores, shortTexts }: TopicSearchDeps,
  user: UserRef,
  topic: Topic,
  { threshold, limit }: { readonly threshold: number; readonly limit: number },
): Promise<SimilarTopic[]> {
  const { topics } = stores.forUser(user);
  const names = (await topics.names(namesMax)).filter(
    ({ topicId, topicName, normalizedName }) => topicId !== topic.id && normalizedName === topicName,
  );
  const similarities = await nameSimilarities(
    shortTexts,
    topic.name,
    names.map(({ name }) => name),
  );
  const best = names
    .map(({ topicId, topicName }, i) => ({ id: topicId, name: topicName, similarity: similarities[i] }))
    .filter(({ similarity }) => similarity >= threshold)
    .sort((a, b) => b.similarity - a.similarity || inOrder(a.name, b.name))
    .slice(0, limit);
  const similarityOf = new Map(best.map(({ id, similarity }) => [id, similarity]));
  const found = await topics.findMany(best.map(({ id }) => id));
  return found.map((each) => ({ topic: each, similarity: similarityOf.get(each.id) ?? 0 }));
}

/** See `Search.topicSimilarity`. */
export async function topicSimilarity(
  { shortTexts }: Pick<TopicSearchDeps, 'shortTexts'>,
  a: Topic,
  b: Topic,
): Promise<number> {
  if (a.id === b.id) return 1;
  const [similarity] = await nameSimilarities(shortTexts, a.name, [b.name]);
  return similarity;
}

const innerCapital = /([\p{Ll}\p{N}])(\p{Lu})/gu;
/** Marks that are part of a name: C++, C#, .NET. */
const namingMarks = [
  [/(?<=[\p{L}\p{N}])\+\+/gu, 'plus plus'],
  [/(?<=[\p{L}\p{N}])#/gu, 'sharp'],
  [/(?<![\p{L}\p{N}])\.(?=\p{L})/gu, 'dot'],
] as const;
const otherLetter = /(?!\p{Script=Latin})\p{L}/u;
/** Maximum similarity of two different names: merge suggestions take 1 as the same. */
const differentMax = 0.99;

/** A name as separate words: `rateLimiting` is two. */
function readable(name: string): string {
  return name.replace(innerCapital, '$1 $2');
}

/** Whether the model can compare the name: for other letters than Latin its vectors are noise. */
function speaksLatin(name: string): boolean {
  return !otherLetter.test(name);
}

function withMarksNamed(name: string, glue: string): string {
  let named = readable(name);
  for (const [mark, word] of namingMarks) {
    const spoken = glue === '' ? word.replaceAll(' ', '') : ` ${word} `;
    named = named.replace(mark, spoken);
  }
  return named.trim();
}

/** `c++` is one word, different from `c`. */
function wordsOf(name: string): string[] {
  return topicWords(withMarksNamed(name, ''));
}

/** Shared words divided by all words of the two names, 0-1. */
function sharedWords(a: ReadonlySet<string>, b: readonly string[]): number {
  const common = b.filter((word) => a.has(word)).length;
  return common / Math.max(1, a.size + b.length - common);
}

/**
 * Similarity of names of different topics, 0 to 0.99: semantic, or the share
 * of common words if that is higher, because a model does not know every name.
 */
async function nameSimilarities(
  shortTexts: ShortTexts | undefined,
  name: string,
  others: readonly string[],
): Promise<number[]> {
  const spoken = (each: string) => withMarksNamed(each, ' ');
  const near = speaksLatin(name)
    ? await shortTexts?.similarities(spoken(name), others.map(spoken))
    : undefined;
  const own = new Set(wordsOf(name));
  return others.map((other, i) => {
    const bySimilarity = speaksLatin(other) ? (near?.[i] ?? 0) : 0;
    return Math.min(differentMax, Math.max(bySimilarity, sharedWords(own, wordsOf(other))));
  });
}
