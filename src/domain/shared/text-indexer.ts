import type { MemoryContent } from '../memories/memory.ts';

/** The part of a record that goes into the search indexes. */
export interface IndexedDocument {
  /** Terms of the analyser with repetitions; order does not matter. */
  readonly terms: readonly string[];
  /** Bits of `documentTraits`. */
  readonly traits: number;
  /** Name of the speaker, folded like a term; empty if the text names none. */
  readonly speaker: string;
  /** Keys by which its metadata is found, see `metadataKeysOf`. */
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
  /** Raised whenever the same record would give other terms, traits or speakers. */
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
 * Computes the index entries of a text. It is called before the transaction that writes the text, so that the
 * user's lock is taken only while rows are written; only texts read in a transaction are indexed within it.
 */
export interface TextIndexer extends DocumentIndexer {
  /** Vectors of the models that are fast enough to be waited for; for the others the store records jobs. */
  vectors(content: string): readonly TextVectors[];
}

/** Index entries of a new memory. */
export interface IndexedMemory {
  readonly document: IndexedDocument;
  readonly vectors: readonly TextVectors[];
}

/** Index entries of another version of a memory. */
export interface IndexedChange {
  readonly document: IndexedDocument;
  /** Undefined if the text is that of the version before, and so are its vectors. */
  readonly vectors: readonly TextVectors[] | undefined;
}
