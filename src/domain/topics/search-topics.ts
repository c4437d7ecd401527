import { invalidInput } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { normaliseTopicName, type Topic, topicWords } from './topic.ts';
import type { TopicNameMatch, TopicReader } from './topic-store.ts';

export interface TopicHit {
  readonly topic: Topic;
  /** 0-1; 1 where a name or alias is what was asked for. */
  readonly score: number;
}

const queryWordsMax = 16;
/** Names looked at for one word; only where more than these begin with it are there topics that are not counted. */
const matchesMax = 5000;
const nameStartScore = 0.9;
const wordsScore = 0.8;
/** A word that only begins like a word of the query is worth at least this much of a whole one. */
const prefixWorth = 0.5;

/**
 * Topics with a name or an alias that begins like the query or has words that begin like one of its words, best first,
 * then by name. @throws 422 for a blank query
 */
export async function searchTopics(
  topics: TopicReader,
  query: string,
  { limit, offset }: PageRequest,
): Promise<Page<TopicHit>> {
  const wanted = normaliseTopicName(query);
  if (wanted === '') throw invalidInput('query', 'must not be blank');
  const words = topicWords(query).slice(0, queryWordsMax);
  const matches = await topics.matchName(wanted, matchesMax);
  for (const word of words) matches.push(...(await topics.matchWord(word, matchesMax)));
  const ranked = rank(matches, wanted, words);
  const page = ranked.slice(offset, offset + limit);
  const scores = new Map(page.map(({ id, score }) => [id, score]));
  const found = await topics.findMany(page.map(({ id }) => id));
  const items = found.map((topic) => ({ topic, score: scores.get(topic.id) ?? 0 }));
  return { items, limit, offset, count: ranked.length };
}

interface Ranked {
  readonly id: string;
  readonly name: string;
  readonly score: number;
}

/** Each topic once, with the score of its best name. */
function rank(matches: readonly TopicNameMatch[], wanted: string, words: readonly string[]): Ranked[] {
  const best = new Map<string, Ranked>();
  const seen = new Set<string>();
  for (const { topicId, topicName, normalizedName } of matches) {
    if (seen.has(normalizedName)) continue;
    seen.add(normalizedName);
    const score = scoreOf(normalizedName, wanted, words);
    if (score > (best.get(topicId)?.score ?? 0)) best.set(topicId, { id: topicId, name: topicName, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The share of the query's words that the name has, less for mere beginnings and for words not asked for. */
function scoreOf(name: string, wanted: string, words: readonly string[]): number {
  if (name === wanted) return 1;
  const own = topicWords(name);
  const found = words.map((word) => worthOf(word, own));
  const sum = found.reduce((total, worth) => total + worth, 0);
  const byWords =
    words.length === 0
      ? 0
      : (wordsScore * sum) / (words.length + 0.1 * Math.max(0, own.length - words.length));
  const byStart = name.startsWith(wanted)
    ? nameStartScore * (prefixWorth + (1 - prefixWorth) * share(wanted, name))
    : 0;
  return Math.max(byWords, byStart);
}

function worthOf(word: string, own: readonly string[]): number {
  if (own.includes(word)) return 1;
  const longer = own.filter((candidate) => candidate.startsWith(word));
  return Math.max(0, ...longer.map((candidate) => prefixWorth + (1 - prefixWorth) * share(word, candidate)));
}

function share(part: string, whole: string): number {
  return part.length / whole.length;
}
