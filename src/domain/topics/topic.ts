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
  /** Whether no client gave it to a memory or a thread. */
  readonly isDerived: boolean;
}

/**
 * Topics are the same if they differ only in case, width or white space. Case is
 * compared by full Unicode folding: `Straße` is `STRASSE`; `İ` is `i` in all languages.
 */
export function normaliseTopicName(name: string): string {
  return foldCase(name.normalize('NFKC')).trim().replace(/\s+/g, ' ');
}

function foldCase(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').normalize('NFC');
}

const beyondAscii = /[\u0080-\uffff]/;

/** Drops repetitions by normalised name; keeps order and first spelling. */
export function uniqueTopics(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const name of names) {
    const key = normaliseTopicName(name);
    if (key !== '' && !seen.has(key)) seen.set(key, name.trim());
  }
  return [...seen.values()];
}

/** In scripts without spaces each character is a word. */
const unspaced = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}]';
const wordPattern = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const accents = /[\u0300-\u036f]/g;

/** Words of a name as search compares them, without case and accents, each once. */
export function topicWords(name: string): string[] {
  const folded = normaliseTopicName(name).normalize('NFD').replace(accents, '').normalize('NFC');
  return [...new Set(folded.match(wordPattern) ?? [])];
}

export interface TopicListQuery extends PageRequest {
  /** A part of its name or of an alias. */
  readonly name?: string;
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
 * Reads one user's topics. A topic of memories that are all in the trash stays, with the count 0. A merged topic is not
 * listed: its id and name mean the target.
 */
export interface TopicReader {
  /** By id, name or alias, or the id of one merged into it. */
  find(idOrName: string): Promise<Topic | undefined>;
  /** Topics with these ids (at most 1,000), in their order; other ids are left out. */
  findMany(ids: readonly string[]): Promise<Topic[]>;
  /** Those that a client gave before derived ones. */
  list(query: TopicListQuery): Promise<Page<Topic>>;
  count(): Promise<number>;
  /** Names and aliases, at most `limit`, with a word that begins with `prefix`. */
  matchWord(prefix: string, limit: number): Promise<TopicName[]>;
  /** Names and aliases, at most `limit`, that begin with the normalised `prefix`. */
  matchName(prefix: string, limit: number): Promise<TopicName[]>;
  /** Names and aliases in order, the first `limit`. */
  names(limit: number): Promise<TopicName[]>;
  /** `names` and all other names of the same topics, for filters over topics shown at any time. */
  allNamesOf(names: readonly string[]): Promise<string[]>;
  /** `allNamesOf` by the merges that were active at `asOf`. */
  allNamesAsOf(names: readonly string[], asOf: EpochMs): Promise<string[]>;
  /** Names of the topics derived from versions, by their `doc`, best first. */
  listDerived(docs: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Live conversations of the topic: most live memories first, then newest activity; at most `limit`. */
  conversationsOf(topicId: string, limit: number): Promise<string[]>;
  countConversationsOf(topicId: string): Promise<number>;
}

export interface TopicWriter extends TopicReader {
  /** `names` with aliases replaced by the names of their topics, each topic once. */
  current(names: readonly string[]): Promise<string[]>;
  /** Gives a new memory the topics `names` (none an alias), and creates those that do not exist. */
  assignFirst(memoryId: string, names: readonly string[], at: EpochMs): Promise<void>;
  /** Gives a memory exactly the topics `names` (none an alias), and creates those that do not exist. */
  assign(memoryId: string, names: readonly string[], at: EpochMs): Promise<void>;
  /** Creates a topic whose name no topic or alias has. @returns its id */
  create(name: string, at: EpochMs): Promise<string>;
  /** Removes the topics that no memory or thread, live or in the trash, has under any of their names. */
  removeUnused(topicIds: readonly string[]): Promise<void>;
}
