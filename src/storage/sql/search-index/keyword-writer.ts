import type { DocumentKind } from '../../../search-index/ports.ts';

/** Writes of one user's keyword index, in the transaction of the record they belong to. */
export interface KeywordWriter {
  /** A number for a new document, higher than all before it. */
  nextDoc(): Promise<number>;
  /** The first of `count` such numbers that follow each other. */
  nextDocs(count: number): Promise<number>;
  add(kind: DocumentKind, doc: number, terms: readonly string[]): Promise<void>;
  /** Takes documents out for good. */
  erase(docs: readonly number[]): Promise<void>;
  /** Takes those of `terms` out of the user's vocabulary that no memory holds once this transaction is committed. */
  forgetTerms(terms: readonly string[]): Promise<void>;
}
