import type { VectorSpace } from '../domain/embedding/embedder.ts';
import type { ConfidenceBasis, FactOfMemory } from '../domain/facts/fact.ts';
import type { EpochMs } from '../domain/shared/time.ts';

/** Bits of `IndexedDocument.traits`. */
export const documentTraits = { question: 1, short: 2 } as const;

/** Makes the vectors of texts in one space, a byte a number: of the whole text, then of the parts of a long one. */
export interface DocumentEncoder {
  readonly space: VectorSpace;
  /** Kept with the space; see `Embedder.source`. */
  readonly source?: string;
  /** The cosine at which two texts are plausibly related; undefined where that is still to be measured. */
  readonly relatedCosine: number | undefined;
  /** Measures it; present where it is not known. @throws EmbeddingError */
  readonly measureRelatedCosine?: () => Promise<number>;
  /** UTF-16 units of a text that are read as one. */
  readonly longestInput: number;
  /** Where it takes microseconds only, so that a write waits for it. */
  readonly encodeNow?: (content: string) => readonly Int8Array[];
  /** One list a text, in order. @throws EmbeddingError */
  encode(contents: readonly string[]): Promise<(readonly Int8Array[])[]>;
}

/** The encoders that this process can have. */
export interface Encoders {
  /** Of the space that the configuration asks for; undefined where it asks for none. */
  readonly target: DocumentEncoder | undefined;
  /** Of the second space that it asks for: of a model too slow for a write to wait for it, in place of the first's where it has vectors. */
  readonly second?: DocumentEncoder;
  /** Of a space made earlier; undefined where its model cannot be had here. */
  of(space: VectorSpace, source: string | undefined): DocumentEncoder | undefined;
  /** Ends what models of spaces made earlier are still asked, but for these. */
  retain?(spaces: readonly { readonly space: VectorSpace; readonly source: string | undefined }[]): void;
}

/** One version of a memory as the in-process index keeps it: one row of its columns. */
export interface IndexRow {
  readonly doc: number;
  /** Of the memory, the same in all its versions. */
  readonly seq: number;
  readonly rev: number;
  readonly openedAt: number;
  /** Null while it is the newest version. */
  readonly closedAt: number | null;
  /** 1 when the memory is in the trash. */
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

/** Kinds of records that have documents in the keyword index, each with terms of its own. */
export type DocumentKind = 'memory' | 'conversation' | 'fact';

/** A term's occurrences: `docs` rising; `frequencies[i]` is how often it stands in `docs[i]`, 1 to 8. */
export interface Postings {
  readonly docs: readonly number[];
  readonly frequencies: Uint8Array;
}

/** A vector of a version as it is kept. */
export interface VectorRow {
  readonly doc: number;
  readonly part: number;
  /** The user's change counter when it was written, for one that came after its version was committed. */
  readonly lateRev: number | null;
  readonly vector: Int8Array;
}

export interface TextOfVersion {
  readonly doc: number;
  readonly content: string;
}

/** Which terms may be a word with typos: those of this length that begin, go on or end as it does in one part. */
export interface TermShape {
  /** At least one piece in all; pieces are letters. */
  readonly beginnings: readonly string[];
  readonly middles: readonly string[];
  readonly ends: readonly string[];
  /** Characters. */
  readonly lengthMin: number;
  readonly lengthMax: number;
}

/** Terms that memories of one user hold, or once held: whoever offers one must look whether a live memory holds it. */
export interface Vocabulary {
  /** Those of `terms` (at most 4,096) that it holds, in no fixed order. */
  among(terms: readonly string[]): Promise<string[]>;
  /** The first `limit`, shortest first, then in order of code points. */
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  /** The first `limit` in order of code points. */
  shaped(shape: TermShape, limit: number): Promise<string[]>;
}

/** Kinds that are not kept as rows of columns: their documents are looked up when they match. */
export type PlainKind = Exclude<DocumentKind, 'memory'>;

/** The document of a live record, for scores by its words. */
export interface LiveDocument {
  /** Of the record. */
  readonly id: string;
  readonly doc: number;
  readonly termCount: number;
}

/** What is read of a record to compare it by meaning. */
export interface RecordText {
  /** Of the record. */
  readonly id: string;
  readonly doc: number;
  readonly text: string;
}

/** Up to where a user's index may be read. */
export interface IndexHead {
  /** The user's change counter: what it numbers up to is committed. */
  readonly rev: number;
  /** Changes when rows were erased. */
  readonly epoch: number;
  /** Id of the main vector space that serves; 0 for none. */
  readonly space: number;
  /** Of the second one; 0 for none. */
  readonly second: number;
}

/** Vectors of one space, of versions up to `doc`, committed up to the change `rev`. */
export interface VectorRange {
  readonly space: number;
  readonly doc: number;
  readonly rev: number;
}

export interface NearestRequest {
  readonly space: number;
  /** Of length 1. */
  readonly vector: Float32Array;
  readonly count: number;
  /** Versions that the process holds of the user: about how many vectors there are. */
  readonly size: number;
  /** Only vectors of these versions. */
  readonly docs?: readonly number[];
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
   * One entry a term, in order; docs of versions closed or trashed included.
   * @param after for each term, the doc beyond which its postings are wanted; all of them where it is left out
   */
  postings(kind: DocumentKind, terms: readonly string[], after?: readonly number[]): Promise<Postings[]>;
  /** The docs of those postings, where nobody asks how often: half the reads or fewer. */
  docsContaining(
    kind: DocumentKind,
    terms: readonly string[],
    after?: readonly number[],
  ): Promise<number[][]>;
  /** Vectors within `range`, in order of (doc, part), the first `limit` after `after`. */
  vectorsAfter(
    range: VectorRange,
    after: { readonly doc: number; readonly part: number },
    limit: number,
  ): Promise<VectorRow[]>;
  /** Those within `range` that came late, in order of (lateRev, doc, part), the first `limit` after `after`. */
  lateVectorsAfter(
    range: VectorRange,
    after: { readonly lateRev: number; readonly doc: number; readonly part: number },
    limit: number,
  ): Promise<VectorRow[]>;
  /** All vectors of these versions, at most 2,000, in no fixed order. */
  vectorsOf(space: number, docs: readonly number[]): Promise<VectorRow[]>;
  /**
   * The vectors nearest to one, nearest first, where the store itself can compare them: then none are held in the process.
   * Of docs the process may not know yet, or shows no longer, too.
   */
  nearest?(request: NearestRequest): Promise<VectorRow[]>;
  /** Texts of these versions, in no fixed order; one that was erased is missing. */
  contentsOf(docs: readonly number[]): Promise<TextOfVersion[]>;
  /** Docs of open versions whose memory has these fields; for filters too rare for a column. */
  docsWith(fields: RareFields): Promise<number[]>;
  readonly vocabulary: Vocabulary;
  readonly derived: DerivedReader;
  readonly facts: FactIndexReader;
  /** Those of `docs` whose record may be answered, and perhaps others of the kind; in no fixed order. */
  liveDocuments(kind: PlainKind, docs: readonly number[]): Promise<LiveDocument[]>;
  /** Texts of records that may be answered, the newest `limit` of the kind, newest first. */
  recordTexts(kind: PlainKind, limit: number): Promise<RecordText[]>;
  /** Of the documents of a kind whose record was not deleted: how many, and how many terms they hold in all. */
  statistics(kind: PlainKind): Promise<{ readonly documents: number; readonly terms: number }>;
}

/** An entity, as shown: one that others may have been merged into. */
export interface NamedEntity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A topic, as shown, and under which normalised names memories may have it: its own and those of its aliases. */
export interface NamedTopic {
  readonly id: string;
  readonly name: string;
  readonly names: readonly string[];
}

/** A fact and a version of a memory that says it. */
export interface FactOfVersion {
  /** Of the fact, in the keyword index. */
  readonly factDoc: number;
  readonly doc: number;
  /** From when on the memory is known as its source; 0 where the fact was derived from this version. */
  readonly knownSince: number;
}

/** Facts of one user that were not deleted, whether or not a live memory states them: whoever asks looks at his own rows. */
export interface FactIndexReader {
  /** Those with these docs in the keyword index. */
  documents(factDocs: readonly number[]): Promise<LiveDocument[]>;
  /** The newest `limit`, newest first. */
  texts(limit: number): Promise<RecordText[]>;
  /** Versions that say one of these facts, at most 20,000 for each 500 facts, closed and trashed ones too. */
  versionsOf(factDocs: readonly number[]): Promise<FactOfVersion[]>;
  /** By these docs of theirs, what facts say, or what is known that they said at a time. */
  byDoc(factDocs: readonly number[], asOf: EpochMs | undefined): Promise<Map<number, FactOfMemory>>;
  /** How these versions of memories say the facts derived from them, by version and id of the fact; none of corrected facts. */
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
 * What was derived from one user's memories, by version (`doc`): docs of versions closed or trashed too, so that whoever
 * asks looks at his own rows. What a person deleted is in none of it.
 */
export interface DerivedReader {
  /** Entities that one of these keys (1 to 1,000) is a name of, the first `limit` by id. */
  entitiesNamed(keys: readonly string[], limit: number): Promise<NamedEntity[]>;
  /** Topics that one of these normalised names (1 to 1,000) is a name of, the first `limit` by id. */
  topicsNamed(names: readonly string[], limit: number): Promise<NamedTopic[]>;
  /** The newest `limit` versions that mention the entity under any of its names. */
  docsOfEntity(id: string, limit: number): Promise<number[]>;
  /** The newest `limit` versions from which the topic was derived under any of its names. */
  docsOfTopic(id: string, limit: number): Promise<number[]>;
  /** All versions from which a topic of one of these normalised names (1 to 1,000) was derived. */
  docsWithTopics(names: readonly string[]): Promise<number[]>;
  /** Of `docs` (1 to 1,000) those that name an entity of the type: neither who speaks nor one of these keys. */
  docsNaming(
    docs: readonly number[],
    type: AskedEntityType,
    exceptKeys: ReadonlySet<string>,
  ): Promise<number[]>;
  /** Times that texts name and that have a part in `range`, with the versions of these texts, the first `limit`, newest versions first. */
  timesNamedWithin(range: TimeRange, limit: number): Promise<NamedTimeOfVersion[]>;
  /** Of `docs` (1 to 1,000) those with a statement that a time goes with. */
  docsWithTime(docs: readonly number[]): Promise<number[]>;
}

export interface RareFields {
  readonly scope?: Readonly<Partial<Record<string, string>>>;
  readonly taskId?: string;
  readonly outcome?: 'resolved' | 'unresolved';
}

/** Different terms of a query in order of first occurrence. */
export type AnalyzeQuery = (text: string) => string[];

/** Where the terms of a text stand: offsets in UTF-16 units of the text itself. May end at the first of `until`. */
export type AnalyzeWithOffsets = (
  text: string,
  until?: ReadonlySet<string>,
) => { readonly term: string; readonly start: number; readonly end: number }[];

export type ServingSpaces = Pick<IndexHead, 'space' | 'second'>;

/** A segment of a user's index as the store lists it: rows of versions, or vectors of one space. It never changes. */
export interface SegmentRef {
  /** Of its vectors; 0 for rows. */
  readonly space: number;
  /** Those of a later number hold what came later. */
  readonly number: number;
  /** With the segments before it, it holds all versions up to `lastDoc` as of the change `lastRev` or later. */
  readonly lastRev: number;
  readonly lastDoc: number;
  /** Of the vector in order of (doc, part) up to which vectors are in; 0 for rows. */
  readonly lastPart: number;
  /** Of rows: 1 where all versions as of `lastRev` are in. */
  readonly whole: number;
  /** Rows or vectors in it. */
  readonly entries: number;
  /** Of rows: those of versions that no segment before it holds. */
  readonly added: number;
}

/** Segments of one user's index, as last committed. */
export interface SegmentReader {
  /** Those written in this epoch of the user, in order of space and number. */
  list(epoch: number): Promise<SegmentRef[]>;
  /** Undefined where it is no more. */
  data(segment: SegmentRef): Promise<Buffer | undefined>;
}

/** What is written within one transaction. */
export interface SegmentChange {
  /** The user's epoch as of which the rows were read. */
  readonly epoch: number;
  readonly space: number;
  /** The last segment of the space as listed before; undefined where there was none. */
  readonly last: SegmentRef | undefined;
  readonly removed: readonly SegmentRef[];
  readonly added?: { readonly segment: SegmentRef; readonly data: Buffer };
  /** That nothing came between: `last` goes up to this change now, and with it all versions are in. */
  readonly extendedTo?: number;
}

/** Segments of the users of a store, for what writes them in the background. */
export interface SegmentStore {
  /** A user with `changes` changes or more since segments were last written, or whose segments are of something else. */
  behind(changes: number, ofSpaces: (serving: ServingSpaces) => string): Promise<number | undefined>;
  /** @returns false after rows of the user were erased, or segments written by another process: nothing is written then */
  change(userId: number, change: SegmentChange): Promise<boolean>;
  /** Up to which change all is written, and of what; vectors of other spaces than these go. */
  done(userId: number, done: SegmentsDone): Promise<void>;
  /** All of the user: they are written again from rows. */
  drop(userId: number): Promise<void>;
}

export interface SegmentsDone {
  readonly epoch: number;
  readonly rev: number;
  /** See `segmentsOf`. */
  readonly of: string;
  /** Spaces of which there are segments, 0 for rows. */
  readonly spaces: readonly number[];
}
