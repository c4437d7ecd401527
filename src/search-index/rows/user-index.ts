import { effectiveStates, memoryTypes } from '../../domain/memories/memory.ts';
import { normaliseTopicName } from '../../domain/topics/topic.ts';
import { Columns, Interner } from '../columns/columns.ts';
import { MetadataColumn } from '../columns/metadata-column.ts';
import { listsOf, NumberListColumn } from '../columns/number-list-column.ts';
import type { RowBlock } from '../columns/row-segment.ts';
import { RowSet } from '../columns/row-set.ts';
import { documentTraits, type IndexRow, outdatedPartTrait } from '../ports.ts';
import { PostingsCache, type TermPostings } from '../postings/postings-cache.ts';
import { VocabularyCache, vocabularyCacheBytesMax } from '../postings/vocabulary-cache.ts';
import type { InMemoryVectorIndex } from '../vectors/nearest-rows.ts';
import { ConversationRows } from './conversation-rows.ts';

/** The last vector read in order of doc, and the last change whose late vectors were read. */
export interface VectorsUpTo {
  readonly doc: number;
  readonly part: number;
  readonly rev: number;
}

/** Vectors of a user's rows in one space. */
export interface SpaceVectors {
  /** Id of the space; 0 for none. */
  readonly space: number;
  /** Undefined until the first vector is read, or if vectors are not in the process. */
  vectors: InMemoryVectorIndex | undefined;
  /** Extent of `vectors`; undefined until the first is read. */
  vectorsUpTo: VectorsUpTo | undefined;
  /** Rows that have vectors in the process. */
  readonly embedded: RowSet;
}

/** Numbers in this index of the names in a block. */
interface NumbersOfNames {
  readonly conversations: readonly number[];
  readonly speakers: readonly number[];
  readonly topics: readonly number[];
}

const noTopics: readonly number[] = [];
/** Rows that make an uncertain speaker a person. */
const spokenMin = 2;
/** Cache of postings of an index that shares none. */
const postingsBytes = 2 ** 20;

/**
 * The data that searches need of one user's memories, in columns in the process: no text, about 100 bytes
 * for each version. A row is a version; its number is its place in order of doc, and never changes.
 */
export class UserIndex implements SpaceVectors {
  readonly columns = new Columns();
  readonly conversations = new Interner();
  readonly speakers = new Interner();
  /** Normalised topic names, and the spelling first seen of each. */
  readonly topicKeys = new Interner();
  readonly topicNames: string[] = [];
  /** Numbers of the topics of each version. */
  readonly topics = new NumberListColumn(new Int32Array());
  readonly metadata = new MetadataColumn();
  readonly #speakersByTerm = new Map<string, readonly number[]>();
  /** Live rows of each speaker; a row with a certain one counts as two. */
  readonly #spoken: number[] = [];
  readonly conversationRows = new ConversationRows(this.columns);
  readonly postings: TermPostings;
  readonly vocabularyCache = new VocabularyCache();
  /** Rows, including closed and trashed ones. */
  size = 0;
  /** Versions that are open and not trashed, and their terms: N and the average length of BM25. */
  documents = 0;
  documentTerms = 0;
  /** Versions that are open and not trashed, and of which a part is outdated. */
  partlyOutdated = 0;
  /** Changes of the user up to this number are applied. */
  rev = 0;
  /** Extent of `vectors`; undefined until the first is read. */
  vectorsUpTo: VectorsUpTo | undefined;
  /** Undefined until the first vector is read, or if there are none. */
  vectors: InMemoryVectorIndex | undefined;
  readonly embedded = new RowSet();
  /** The vectors of changes up to this number are read: behind `rev` during a refresh, and -1 until a search requests vectors. */
  vectorsRev = -1;
  readonly epoch: number;
  /** Id of the space of the vectors; 0 for none. */
  readonly space: number;
  /** Vectors of the second space, if one serves. */
  readonly second: SpaceVectors | undefined;

  constructor(
    {
      epoch,
      space,
      second = 0,
    }: { readonly epoch: number; readonly space: number; readonly second?: number },
    postings: PostingsCache = new PostingsCache(postingsBytes),
  ) {
    this.postings = postings.ofIndex();
    this.epoch = epoch;
    this.space = space;
    this.second =
      second === 0
        ? undefined
        : { space: second, vectors: undefined, vectorsUpTo: undefined, embedded: new RowSet() };
  }

  get bytes(): number {
    const second = (this.second?.vectors?.bytes ?? 0) + (this.second?.embedded.bytes ?? 0);
    const vectors = (this.vectors?.bytes ?? 0) + this.embedded.bytes + second;
    return (
      vectors +
      this.columns.bytes +
      this.topics.bytes +
      this.metadata.bytes +
      this.conversationRows.bytes +
      vocabularyCacheBytesMax +
      4096
    );
  }

  /** Applies all changes between the current revision and `rev`; `rows` in any order. */
  apply(rows: readonly IndexRow[], rev: number): void {
    const fresh: IndexRow[] = [];
    for (const row of rows) {
      const at = this.rowOf(row.doc);
      if (at < 0) fresh.push(row);
      else {
        this.#write(at, row);
        this.conversationRows.touch(at);
      }
    }
    fresh.sort((a, b) => a.doc - b.doc);
    this.columns.reserve(this.size + fresh.length);
    for (const row of fresh) {
      const at = this.size++;
      this.columns.live[at] = 0;
      this.#write(at, row);
      this.conversationRows.add(at);
    }
    this.vocabularyCache.clear();
    this.rev = rev;
  }

  /** Adds the rows of a segment. Segments come in order, oldest first. */
  take(block: RowBlock, rev: number): void {
    const { columns, size } = this;
    const last = size === 0 ? -1 : columns.docs[size - 1];
    columns.reserve(size + block.count);
    const names = {
      conversations: block.conversations.map((id) => this.conversations.intern(id)),
      speakers: block.speakers.map((name) => this.#internSpeaker(name)),
      topics: this.#internTopics(block.topicNames),
    };
    if (block.count > 0 && block.columns.docs[0] > last) this.#append(block, names);
    else this.#merge(block, names, last);
    this.vocabularyCache.clear();
    this.rev = rev;
  }

  /** Adds a block in which all versions are later than those present. */
  #append({ count, columns, topics, metadataKeys }: RowBlock, names: NumbersOfNames): void {
    const from = this.size;
    this.size += count;
    this.columns.copyAll(from, columns, count);
    this.topics.append(from, topics, names.topics);
    this.metadata.append(from, metadataKeys);
    for (let at = from; at < this.size; at++) {
      this.#rename(at, names);
      if (this.isLive(at)) this.#count(at, 1);
      this.conversationRows.add(at);
    }
  }

  /** @param last doc of the last version present */
  #merge(block: RowBlock, names: NumbersOfNames, last: number): void {
    const { columns, conversationRows } = this;
    const topicsOfRow = listsOf(block.topics, (topic) => names.topics[topic]);
    const keysOfRow = listsOf(block.metadataKeys);
    for (let i = 0; i < block.count; i++) {
      const doc = block.columns.docs[i];
      const known = doc <= last ? this.rowOf(doc) : -1;
      const at = known < 0 ? this.size++ : known;
      if (known >= 0 && this.isLive(at)) this.#count(at, -1);
      columns.copy(at, block.columns, i);
      this.#rename(at, names);
      this.topics.set(at, topicsOfRow());
      this.metadata.setNumbers(at, keysOfRow());
      if (this.isLive(at)) this.#count(at, 1);
      if (known < 0) conversationRows.add(at);
      else conversationRows.touch(at);
    }
  }

  /** Translates the numbers of names in a block to those of this index. */
  #rename(at: number, { conversations, speakers }: NumbersOfNames): void {
    const { conversation, speaker } = this.columns;
    conversation[at] = conversations[conversation[at]];
    if (speaker[at] >= 0) speaker[at] = speakers[speaker[at]];
  }

  /** Number of the row with this doc, or -1. */
  rowOf(doc: number): number {
    const { docs } = this.columns;
    let low = 0;
    let high = this.size - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (docs[middle] === doc) return middle;
      if (docs[middle] < doc) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Whether a current search may see the row: the newest version of a memory that is not in the trash. */
  isLive(row: number): boolean {
    return this.columns.live[row] === 1;
  }

  /** Event time, else ingestion time: the order of memories in a conversation. */
  orderTime(row: number): number {
    return this.columns.orderTime(row);
  }

  /** Numbers of the topics of the version. */
  topicsOf(row: number): readonly number[] {
    return this.topics.listOf(row);
  }

  #write(at: number, row: IndexRow): void {
    const c = this.columns;
    if (this.isLive(at)) this.#count(at, -1);
    c.docs[at] = row.doc;
    c.seqs[at] = row.seq;
    c.openedAt[at] = row.openedAt;
    c.closedAt[at] = row.closedAt ?? Number.POSITIVE_INFINITY;
    c.eventTime[at] = row.eventTime ?? Number.NaN;
    c.validFrom[at] = row.validFrom ?? Number.NaN;
    c.validTo[at] = row.validTo ?? Number.POSITIVE_INFINITY;
    c.createdAt[at] = row.createdAt;
    c.updatedAt[at] = row.updatedAt;
    c.conversation[at] = this.conversations.intern(row.conversationId);
    c.speaker[at] = this.#internSpeaker(row.speaker);
    c.termCount[at] = row.termCount;
    c.memoryType[at] = memoryTypes.indexOf(row.memoryType as (typeof memoryTypes)[number]);
    c.effectiveState[at] = effectiveStates.indexOf(row.effectiveState as (typeof effectiveStates)[number]);
    c.traits[at] = row.traits;
    c.trashed[at] = row.trashed;
    this.metadata.set(at, row.metadataKeys);
    c.live[at] = row.trashed === 0 && row.closedAt === null ? 1 : 0;
    const topics = row.topics === '[]' ? noTopics : this.#internTopics(JSON.parse(row.topics) as string[]);
    this.topics.set(at, topics);
    if (this.isLive(at)) this.#count(at, 1);
  }

  /** Numbers of the people who speak and for which `terms` contains all terms of the name. */
  speakersNamed(terms: ReadonlySet<string>): ReadonlySet<number> {
    const named = new Set<number>();
    for (const term of terms) {
      for (const speaker of this.#speakersByTerm.get(term) ?? []) {
        if (
          this.#spoken[speaker] >= spokenMin &&
          this.speakers
            .value(speaker)
            .split(' ')
            .every((part) => terms.has(part))
        )
          named.add(speaker);
      }
    }
    return named;
  }

  #internSpeaker(name: string): number {
    if (name === '') return -1;
    const known = this.speakers.size;
    const speaker = this.speakers.intern(name);
    if (speaker === known) {
      this.#spoken.push(0);
      const [first] = name.split(' ');
      this.#speakersByTerm.set(first, [...(this.#speakersByTerm.get(first) ?? []), speaker]);
    }
    return speaker;
  }

  #count(at: number, sign: 1 | -1): void {
    this.documents += sign;
    const { termCount, speaker, traits } = this.columns;
    this.documentTerms += sign * termCount[at];
    const isUncertain = (traits[at] & documentTraits.uncertainSpeaker) !== 0;
    if (speaker[at] >= 0) this.#spoken[speaker[at]] += sign * (isUncertain ? 1 : spokenMin);
    if ((traits[at] & outdatedPartTrait) !== 0) this.partlyOutdated += sign;
  }

  #internTopics(names: readonly string[]): number[] {
    return names.map((name) => {
      const topic = this.topicKeys.intern(normaliseTopicName(name));
      this.topicNames[topic] ??= name;
      return topic;
    });
  }
}
