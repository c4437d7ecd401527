import type { MemoryContent } from '../memories/memory.ts';

/** What of a record goes into the search indexes. */
export interface IndexedDocument {
  /** Terms of the analyser with repetitions; order does not matter. */
  readonly terms: readonly string[];
  /** Bits of `documentTraits`. */
  readonly traits: number;
  /** Who speaks, folded like a term; empty when nobody is named. */
  readonly speaker: string;
  /** What its metadata is found by, see `metadataKeysOf`. */
  readonly metadataKeys: string;
}

/** The searched fields of a fact. */
export interface FactWords {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** How records become documents of the keyword index; pure. */
export interface DocumentIndexer {
  /** Raised whenever the same record would give other terms. */
  readonly version: number;
  memory(memory: MemoryContent): IndexedDocument;
  conversation(title: string, summary: string | null): IndexedDocument;
  fact(fact: FactWords): IndexedDocument;
}

/** The vectors of one text in one space: of the whole text, then of the parts of a long one. */
export interface TextVectors {
  readonly space: number;
  readonly vectors: readonly Int8Array[];
}

/**
 * What the indexes of a store keep of a text. Called before the transaction that writes the text, which then holds the
 * user's lock for writing rows alone; within it only for texts that are read in it.
 */
export interface TextIndexer extends DocumentIndexer {
  /** In the spaces whose model is fast enough to be waited for; for the others the store records work. */
  vectors(content: string): readonly TextVectors[];
}

/** What the indexes keep of a new memory. */
export interface IndexedMemory {
  readonly document: IndexedDocument;
  readonly vectors: readonly TextVectors[];
}

/** What the indexes keep of another version of a memory. */
export interface IndexedChange {
  readonly document: IndexedDocument;
  /** Undefined where the text, and with it its vectors, is that of the version before. */
  readonly vectors: readonly TextVectors[] | undefined;
}
