import type { VectorSpace } from '../domain/embedding/embedder.ts';
import type { ConfidenceBasis, FactOfMemory } from '../domain/facts/fact.ts';
import type { EpochMs } from '../domain/shared/time.ts';

/** Bits of `IndexedDocument.traits`; an uncertain speaker is a person only if it speaks more than once. */
export const documentTraits = { question: 1, short: 2, uncertainSpeaker: 8 } as const;
/** Bit of a row's traits if a newer memory replaces a part of its text. */
export const outdatedPartTrait = 4;

/**
 * Makes the vectors of texts in one space, a byte for each
 * number: of the whole text, then of the parts of a long one.
 */
export interface DocumentEncoder {
  readonly space: VectorSpace;
  /** Stored with the space; see `Embedder.source`. */
  readonly source?: string;
  /** The cosine at which two texts are plausibly related; undefined until measured. */
  readonly relatedCosine: number | undefined;
  /** Measures `relatedCosine`; present if it is unknown. @throws EmbeddingError */
  readonly measureRelatedCosine?: () => Promise<number>;
  /** Maximum UTF-16 units of a text that the model reads as one. */
  readonly longestInput: number;
  /** Present if encoding takes microseconds, so that a write waits for it. */
  readonly encodeNow?: (content: string) => readonly Int8Array[];
  /** One list for each text, in order. @throws EmbeddingError */
  encode(contents: readonly string[]): Promise<(readonly Int8Array[])[]>;
}

/** Encoders available to this process. */
export interface Encoders {
  /** Encoder of the configured space; undefined if none is configured. */
  readonly target: DocumentEncoder | undefined;
  /**
   * Encoder of the second configured space: its model is too slow for
   * a write to wait for. Its vectors replace the first's, if present.
   */
  readonly second?: DocumentEncoder;
  /** Encoder of an earlier space; undefined if its model is not available here. */
  of(space: VectorSpace, source: string | undefined): DocumentEncoder | undefined;
  /** Stops the models of all earlier spaces except these. */
  retain?(spaces: readonly { readonly space: VectorSpace; readonly source: string | undefined }[]): void;
}

/** One version of a memory in the in-process index: one row of its columns. */
export interface IndexRow {
  readonly doc: number;
  /** Number of the memory, the same in all its versions. */
  readonly seq: number;
  readonly rev: number;
  readonly openedAt: number;
  /** Null while it is the newest version. */
  readonly closedAt: number | null;
  /** 1 if the memory is in the trash. */
  readonly trashed: number;
  readonly memoryType: string;
  readonly effectiveState: string;
  readonly conversationId: string;
  readonly eventTime: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  readonly termCount: number;
  readonly traits: number;
  readonly speaker: string;
  /** See `metadataKeysOf`. */
  readonly metadataKeys: string;
  /** JSON array of names. */
  readonly topics: string;
}

/** Kinds of records with documents in the keyword index, each kind with its own terms. */
export type DocumentKind = 'memory' | 'conversation' | 'fact';

/**
 * Occurrences of a term: `docs` in ascending order; `frequencies[i]` is its frequency in `docs[i]`, 1 to 8.
 */
export interface Postings {
  readonly docs: readonly number[];
  readonly frequencies: Uint8Array;
}

/** A stored vector of a version. */
export interface VectorRow {
  readonly doc: number;
  readonly part: number;
  /** The user's change counter at the write, for a vector that came after the commit of its version. */
  readonly lateRev: number | null;
  readonly vector: Int8Array;
}

export interface TextOfVersion {
  readonly doc: number;
  readonly content: string;
}

/** Filter for typo candidates: length range, and a shared prefix, infix or suffix. */
export interface TermShape {
  /** All together have at least one piece; pieces are letters. */
  readonly beginnings: readonly string[];
  readonly middles: readonly string[];
  readonly ends: readonly string[];
  /** In characters. */
  readonly lengthMin: number;
  readonly lengthMax: number;
}

/**
 * Terms in memories of one user, now or earlier: callers
 * must check that a live memory contains a term they offer.
 */
export interface Vocabulary {
  /** The `terms` (at most 4,096) in the vocabulary, in no fixed order. */
  among(terms: readonly string[]): Promise<string[]>;
  /** The first `limit`, shortest first, then in order of code points. */
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  /** The first `limit` in order of code points. */
  shaped(shape: TermShape, limit: number): Promise<string[]>;
}

/** Kinds without columns: their documents are looked up when they match. */
export type PlainKind = Exclude<DocumentKind, 'memory'>;

/** The document of a live record, for its keyword score. */
export interface LiveDocument {
  /** Id of the record. */
  readonly id: string;
  readonly doc: number;
  readonly termCount: number;
}

/** Text of a record for semantic comparison. */
export interface RecordText {
  /** Id of the record. */
  readonly id: string;
  readonly doc: number;
  readonly text: string;
}

/** State up to which a user's index can be read. */
export interface IndexHead {
  /** The user's change counter: all changes up to it are committed. */
  readonly rev: number;
  /** Changes when rows are erased. */
  readonly epoch: number;
  /** Id of the main serving space; 0 for none. */
  readonly space: number;
  /** Id of the second serving space; 0 for none. */
  readonly second: number;
}

/** Vectors of one space, of versions up to `doc`, committed up to the change `rev`. */
export interface VectorRange {
  readonly space: number;
  readonly doc: number;
  readonly rev: number;
}

/** Reads of one user's search index, as last committed. */
export interface IndexReader {
  head(): Promise<IndexHead>;
  /** Rows changed after `rev`, in order of (rev, doc), the first `limit` after the row `(rev, doc)`. */
  changesSince(rev: number, doc: number, limit: number): Promise<IndexRow[]>;
  /** All rows in order of doc, the first `limit` after `doc`. */
  rowsAfter(doc: number, limit: number): Promise<IndexRow[]>;
  /** Rows and vectors as jobs wrote them, many in one read. */
  readonly segments: SegmentReader;
  /**
   * One entry for each term, in order; includes docs of closed or trashed versions.
   * @param after for each term, postings beyond this doc only; absent: all
   */
  postings(kind: DocumentKind, terms: readonly string[], after?: readonly number[]): Promise<Postings[]>;
  /** The docs of those postings, without frequencies: at most half the reads. */
  docsContaining(
    kind: DocumentKind,
    terms: readonly string[],
    after?: readonly number[],
  ): Promise<number[][]>;
  /** At most `limit` vectors within `range`, ordered by (doc, part), starting after `after`. */
  vectorsAfter(
    range: VectorRange,
    after: { readonly doc: number; readonly part: number },
    limit: number,
  ): Promise<VectorRow[]>;
  /** Late vectors within `range`, in order of (lateRev, doc, part), the first `limit` after `after`. */
  lateVectorsAfter(
    range: VectorRange,
    after: { readonly lateRev: number; readonly doc: number; readonly part: number },
    limit: number,
  ): Promise<VectorRow[]>;
  /** All vectors of these versions, at most 2,000, in no fixed order. */
  vectorsOf(space: number, docs: readonly number[]): Promise<VectorRow[]>;
  /** Texts of these versions, in no fixed order; erased ones are missing. */
  contentsOf(docs: readonly number[]): Promise<TextOfVersion[]>;
  /** Docs of open versions whose memory has these fields; for filters too rare for a column. */
  docsWith(fields: RareFields): Promise<number[]>;
  readonly vocabulary: Vocabulary;
  readonly derived: DerivedReader;
  readonly facts: FactIndexReader;
  /**
   * Documents of `docs` whose record may be returned, and perhaps others of the kind; in no fixed order.
   * @param currentAt leaves out facts that do not hold at this time
   */
  liveDocuments(kind: PlainKind, docs: readonly number[], currentAt?: EpochMs): Promise<LiveDocument[]>;
  /** Texts of records that may be returned, the newest `limit` of the kind, newest first; `currentAt` as above. */
  recordTexts(kind: PlainKind, limit: number, currentAt?: EpochMs): Promise<RecordText[]>;
  /** Number of documents of a kind that are not deleted, and of all their terms. */
  statistics(kind: PlainKind): Promise<{ readonly documents: number; readonly terms: number }>;
}

/** An entity as shown; others may have been merged into it. */
export interface NamedEntity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A topic as shown, with the normalised names that memories may have it by: its own and its aliases. */
export interface NamedTopic {
  readonly id: string;
  readonly name: string;
  readonly names: readonly string[];
}

/** A fact and a version of a memory that states it. */
export interface FactOfVersion {
  /** Doc of the fact in the keyword index. */
  readonly factDoc: number;
  readonly doc: number;
  /** Time since which the memory is known as its source; 0 if the fact was derived from this version. */
  readonly knownSince: number;
  /** 1 if a newer memory replaces the part of the version that states it. */
  readonly isOutdated: number;
}

/** Facts of one user that are not deleted, with or without a live memory: callers check their own rows. */
export interface FactIndexReader {
  /** Facts with these docs in the keyword index. */
  documents(factDocs: readonly number[]): Promise<LiveDocument[]>;
  /** The newest `limit`, newest first. */
  texts(limit: number): Promise<RecordText[]>;
  /** Versions that state a fact, at most 20,000 for each 500 facts, including closed and trashed ones. */
  versionsOf(factDocs: readonly number[]): Promise<FactOfVersion[]>;
  /** Facts by doc, current or as of `asOf`. */
  byDoc(factDocs: readonly number[], asOf: EpochMs | undefined): Promise<Map<number, FactOfMemory>>;
  /**
   * Confidence basis of facts derived from these versions,
   * by version and id of the fact; none for corrected facts.
   */
  basesIn(docs: readonly number[]): Promise<Map<number, Map<string, ConfidenceBasis>>>;
}

/** `from` inclusive, `to` exclusive. */
export interface TimeRange {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** A time that the text of a version names ("last Friday"). */
export interface NamedTimeOfVersion extends TimeRange {
  readonly doc: number;
}

/** Types of entities that a question can ask for. */
export type AskedEntityType = 'PERSON' | 'LOCATION';

/**
 * Data derived from one user's memories, by version (`doc`), including closed or
 * trashed ones: callers check their own rows. Data deleted by a person is excluded.
 */
export interface DerivedReader {
  /** Entities named by one of these keys (1 to 1,000), the first `limit` by id. */
  entitiesNamed(keys: readonly string[], limit: number): Promise<NamedEntity[]>;
  /** Topics named by one of these normalised names (1 to 1,000), the first `limit` by id. */
  topicsNamed(names: readonly string[], limit: number): Promise<NamedTopic[]>;
  /** The newest `limit` versions that mention the entity under any of its names. */
  docsOfEntity(id: string, limit: number): Promise<number[]>;
  /** The newest `limit` versions from which the topic was derived under any of its names. */
  docsOfTopic(id: string, limit: number): Promise<number[]>;
  /** All versions from which a topic of one of these normalised names (1 to 1,000) was derived. */
  docsWithTopics(names: readonly string[]): Promise<number[]>;
  /** The `docs` (1 to 1,000) that name an entity of the type, other than the speaker and these keys. */
  docsNaming(
    docs: readonly number[],
    type: AskedEntityType,
    exceptKeys: ReadonlySet<string>,
  ): Promise<number[]>;
  /**
   * Times in texts that overlap `range`, with the versions of
   * these texts; the first `limit`, newest versions first.
   */
  timesNamedWithin(range: TimeRange, limit: number): Promise<NamedTimeOfVersion[]>;
  /** The `docs` (1 to 1,000) with a statement that has a time. */
  docsWithTime(docs: readonly number[]): Promise<number[]>;
}

export interface RareFields {
  readonly scope?: Readonly<Partial<Record<string, string>>>;
  readonly taskId?: string;
  readonly outcome?: 'resolved' | 'unresolved';
}

/** Distinct terms of a query in order of first occurrence. */
export type AnalyzeQuery = (text: string) => string[];

/** Positions of the terms of a text: offsets in UTF-16 units. May end at the first of `until`. */
export type AnalyzeWithOffsets = (
  text: string,
  until?: ReadonlySet<string>,
) => { readonly term: string; readonly start: number; readonly end: number }[];

export type ServingSpaces = Pick<IndexHead, 'space' | 'second'>;

/** An immutable segment of a user's index in the store's list: rows of versions, or vectors of one space. */
export interface SegmentRef {
  /** Space of its vectors; 0 for rows. */
  readonly space: number;
  /** Segments with a higher number are later. */
  readonly number: number;
  /**
   * With the segments before it, it contains all versions
   * up to `lastDoc` as of the change `lastRev` or later.
   */
  readonly lastRev: number;
  readonly lastDoc: number;
  /** Part of the last vector in order of (doc, part); 0 for rows. */
  readonly lastPart: number;
  /** For rows: 1 if all versions as of `lastRev` are in segments. */
  readonly whole: number;
  /** Number of its rows or vectors. */
  readonly entries: number;
  /** For rows: number of versions that no earlier segment contains. */
  readonly added: number;
}

/** Segments of one user's index, as last committed. */
export interface SegmentReader {
  /** Segments of this epoch of the user, in order of space and number. */
  list(epoch: number): Promise<SegmentRef[]>;
  /** Undefined if it no longer exists. */
  data(segment: SegmentRef): Promise<Buffer | undefined>;
}

/** A change of segments, written in one transaction. */
export interface SegmentChange {
  /** The user's epoch at the read of the rows. */
  readonly epoch: number;
  readonly space: number;
  /** The last segment of the space in the previous list; undefined if there was none. */
  readonly last: SegmentRef | undefined;
  readonly removed: readonly SegmentRef[];
  readonly added?: { readonly segment: SegmentRef; readonly data: Buffer };
  /** Set if there were no changes since: `last` now extends to this change, and contains all versions. */
  readonly extendedTo?: number;
}

/** Segments of the users of a store, for their background writer. */
export interface SegmentStore {
  /**
   * A user with at least `changes` changes since the last write
   * of segments, or with segments of another format or space.
   */
  behind(changes: number, ofSpaces: (serving: ServingSpaces) => string): Promise<number | undefined>;
  /** @returns false, without a write, if rows of the user were erased or another process wrote segments */
  change(userId: number, change: SegmentChange): Promise<boolean>;
  /** Marks segments as complete up to a change; removes vectors of spaces that are not listed. */
  done(userId: number, done: SegmentsDone): Promise<void>;
  /** Removes all segments of the user: they are rewritten from rows. */
  drop(userId: number): Promise<void>;
}

export interface SegmentsDone {
  readonly epoch: number;
  readonly rev: number;
  /** See `segmentsOf`. */
  readonly of: string;
  /** Spaces with segments, 0 for rows. */
  readonly spaces: readonly number[];
}
