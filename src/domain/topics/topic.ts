import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

export interface Topic {
  readonly id: string;
  /** The name as first written. */
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Number of live memories that have it. */
  readonly memoryCount: number;
}

/**
 * Topics are the same when only case, width or white space differ. Case as Unicode folds it in full: `Straße` is
 * `STRASSE`; and `İ` is `i`, as no language is known here that keeps them apart.
 */
export function normaliseTopicName(name: string): string {
  return foldCase(name.normalize('NFKC')).trim().replace(/\s+/g, ' ');
}

function foldCase(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').normalize('NFC');
}

const beyondAscii = /[\u0080-\uffff]/;

/** Drops repetitions (by normalised name) and keeps the first spelling and the order. */
export function uniqueTopics(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const name of names) {
    const key = normaliseTopicName(name);
    if (key !== '' && !seen.has(key)) seen.set(key, name.trim());
  }
  return [...seen.values()];
}

/** Scripts that write without spaces give one word a character. */
const unspaced = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}]';
const wordPattern = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const accents = /[\u0300-\u036f]/g;

/** The words of a name as search compares them: without case and accents, each once. */
export function topicWords(name: string): string[] {
  const folded = normaliseTopicName(name).normalize('NFD').replace(accents, '').normalize('NFC');
  return [...new Set(folded.match(wordPattern) ?? [])];
}

export interface TopicListQuery extends PageRequest {
  readonly sortBy: 'name' | 'memoryCount';
  readonly order: 'asc' | 'desc';
}

/** A name or alias, and the topic that it means. */
export interface TopicName {
  readonly topicId: string;
  /** The name as first written. */
  readonly name: string;
  /** Normalised name of the topic: the tie-break. */
  readonly topicName: string;
  readonly normalizedName: string;
}

/**
 * Reads of one user's topics. A topic that only memories in the trash carry is still there, with count 0. One that was
 * merged into another is no topic any more: its id and name mean the other.
 */
export interface TopicReader {
  /** By id, name or alias, or the id of one merged into it. */
  find(idOrName: string): Promise<Topic | undefined>;
  /** Those of at most 1,000 `ids` that are topics, in the order asked for. */
  findMany(ids: readonly string[]): Promise<Topic[]>;
  list(query: TopicListQuery): Promise<Page<Topic>>;
  count(): Promise<number>;
  /** Names and aliases, at most `limit`, with a word that begins with `prefix`. */
  matchWord(prefix: string, limit: number): Promise<TopicName[]>;
  /** Names and aliases, at most `limit`, that begin with the normalised `prefix`. */
  matchName(prefix: string, limit: number): Promise<TopicName[]>;
  /** Names and aliases in order, the first `limit`. */
  names(limit: number): Promise<TopicName[]>;
  /** `names` with all other names that mean the same topics, for filters over what memories showed at any time. */
  allNamesOf(names: readonly string[]): Promise<string[]>;
  /** `allNamesOf` by the merges that were active at `asOf`. */
  allNamesAsOf(names: readonly string[], asOf: EpochMs): Promise<string[]>;
  /** Names of the topics that were derived from versions of memories, by their `doc`, the best first. */
  listDerived(docs: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Live conversations with live memories of the topic, most of them first, then newest activity; at most `limit`. */
  conversationsOf(topicId: string, limit: number): Promise<string[]>;
  countConversationsOf(topicId: string): Promise<number>;
}

export interface TopicWriter extends TopicReader {
  /** `names` with aliases replaced by the names of what they mean, each topic once. */
  current(names: readonly string[]): Promise<string[]>;
  /** Makes a new memory carry the topics `names` (none of them an alias), creating those that are new. */
  assignFirst(memoryId: string, names: readonly string[], at: EpochMs): Promise<void>;
  /** Makes the memory carry exactly the topics `names` (none of them an alias), creating those that are new. */
  assign(memoryId: string, names: readonly string[], at: EpochMs): Promise<void>;
  /** Removes those of `topicIds` that no memory or narrative, live or in the trash, has under any of their names. */
  removeUnused(topicIds: readonly string[]): Promise<void>;
}
