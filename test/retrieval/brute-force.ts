import type { Memory } from '../../src/domain/memories/memory.ts';
import { groupBy } from '../../src/lib/collections.ts';
import type { Facets } from '../../src/search/request.ts';
import { analyzeQuery } from '../../src/search-index/analysis/index.ts';
import { createDocumentIndexer } from '../../src/search-index/document-indexer.ts';
import type { MemoryFilter } from '../../src/search-index/memory-filter.ts';

/** One version of a memory, as a test wrote it. */
export interface WrittenVersion {
  readonly memory: Memory;
  /** Order of writing, of the memory. */
  readonly seq: number;
  readonly openedAt: number;
  closedAt: number;
  isTrashed: boolean;
}

const indexer = createDocumentIndexer();
const termsOf = new WeakMap<Memory, readonly string[]>();

function terms(memory: Memory): readonly string[] {
  const known = termsOf.get(memory) ?? indexer.memory(memory).terms;
  termsOf.set(memory, known);
  return known;
}

const frequencyMax = 8;
const [k1, b] = [0.6, 0.3];
const hidden = new Set(['superseded', 'contradicted']);
const topicFacetsMax = 20;

const timeOf = ({ eventTime, createdAt }: Memory) => eventTime ?? createdAt;

/** How a query matches texts: any of these terms, or one that begins so, or all of this phrase. */
export interface BruteQuery {
  readonly text: string;
  readonly beginning?: string;
  readonly phrase?: string;
}

/** Searches by going through all that was written, every time. */
export class BruteForce {
  /** Complete before the first search. */
  readonly versions: WrittenVersion[] = [];
  #live: readonly Memory[] | undefined;
  #average: number | undefined;
  /** How many live memories have a term. */
  readonly #having = new Map<string, number>();

  /** The matches of a keyword search, by id, and what every memory alone scores. */
  search(query: BruteQuery, filter: MemoryFilter, context: boolean): Map<string, Memory & { score: number }> {
    const visible = this.#visible(filter.asOf);
    const passing = visible.filter((memory) => passes(memory, filter));
    const typed = analyzeQuery(query.text);
    const isFound = (memory: Memory) =>
      terms(memory).some(
        (term) => typed.includes(term) || (query.beginning !== undefined && term.startsWith(query.beginning)),
      );
    const found = visible.filter(isFound);
    const reached = new Set(context ? this.#around(visible, found) : found);
    const withPhrase = (memory: Memory) =>
      query.phrase === undefined || memory.content.toLowerCase().includes(query.phrase);
    const isPhraseKnown = passing.some(withPhrase);
    const matches = passing.filter((memory) => reached.has(memory) && (!isPhraseKnown || withPhrase(memory)));
    return new Map(matches.map((memory) => [memory.id, { ...memory, score: this.#score(memory, typed) }]));
  }

  /** Without entities, which are derived, and keys, of which these stores have none. */
  facets(memories: readonly Memory[]): Omit<Facets, 'entityId' | 'createdBy'> {
    const count = (values: readonly string[]) =>
      [...new Set(values)]
        .map((value) => ({ value, count: values.filter((each) => each === value).length }))
        .sort((x, y) => y.count - x.count || (x.value < y.value ? -1 : 1));
    return {
      topics: count(memories.flatMap(({ topics }) => [...topics])).slice(0, topicFacetsMax),
      memoryType: count(memories.map(({ memoryType }) => memoryType)),
      effectiveState: count(memories.map(({ effectiveState }) => effectiveState)),
      conversationId: count(memories.map(({ conversationId }) => conversationId)).slice(0, topicFacetsMax),
      role: count(memories.flatMap(({ role }) => role ?? [])),
    };
  }

  #visible(asOf = Number.POSITIVE_INFINITY): Memory[] {
    const isOpen = ({ openedAt, closedAt }: WrittenVersion) =>
      asOf === Number.POSITIVE_INFINITY ? closedAt === asOf : openedAt <= asOf && asOf < closedAt;
    return this.versions
      .filter((version) => !version.isTrashed && isOpen(version))
      .map(({ memory }) => memory);
  }

  /** Those found and the two before and after each in its conversation. */
  #around(visible: readonly Memory[], found: readonly Memory[]): Memory[] {
    const seqOf = new Map(this.versions.map(({ memory, seq }) => [memory.id, seq]));
    const inOrder = visible.toSorted(
      (x, y) => timeOf(x) - timeOf(y) || (seqOf.get(x.id) ?? 0) - (seqOf.get(y.id) ?? 0),
    );
    const sought = new Set(found);
    return [...groupBy(inOrder, ({ conversationId }) => conversationId).values()].flatMap((own) =>
      own.filter((_, at) => own.slice(Math.max(0, at - 2), at + 3).some((memory) => sought.has(memory))),
    );
  }

  /** BM25 over what is live now. */
  #score(memory: Memory, typed: readonly string[]): number {
    this.#live ??= this.#visible();
    const live = this.#live;
    this.#average ??= live.reduce((sum, each) => sum + terms(each).length, 0) / live.length;
    const own = terms(memory);
    const norm = k1 * (1 - b + (b * own.length) / this.#average);
    return typed.reduce((sum, term) => {
      const frequency = Math.min(frequencyMax, own.filter((each) => each === term).length);
      const having = this.#having.get(term) ?? live.filter((each) => terms(each).includes(term)).length;
      this.#having.set(term, having);
      const idf = Math.log(1 + (live.length - having + 0.5) / (having + 0.5));
      return sum + (idf * frequency * (k1 + 1)) / (frequency + norm);
    }, 0);
  }
}

function passes(memory: Memory, filter: MemoryFilter): boolean {
  const { topics, excludeTopics, memoryType, conversationId, eventFrom, eventTo } = filter;
  const has = (names: readonly string[]) => memory.topics.some((topic) => names.includes(topic));
  return (
    (filter.includeSuperseded || !hidden.has(memory.effectiveState)) &&
    (topics === undefined || has(topics)) &&
    (excludeTopics === undefined || !has(excludeTopics)) &&
    (memoryType === undefined || memory.memoryType === memoryType) &&
    (conversationId === undefined || memory.conversationId === conversationId) &&
    (eventFrom === undefined || timeOf(memory) >= eventFrom) &&
    (eventTo === undefined || timeOf(memory) <= eventTo)
  );
}
