import type { IndexRow } from '../../src/search-index/ports.ts';

/** A live version of a memory as the index reads it; its numbers are all `doc`. */
export function indexRow(doc: number, fields: Partial<IndexRow> = {}): IndexRow {
  return {
    doc,
    seq: doc,
    rev: doc,
    openedAt: doc,
    closedAt: null,
    trashed: 0,
    memoryType: 'episodic',
    effectiveState: 'current',
    conversationId: 'c',
    eventTime: null,
    createdAt: doc,
    updatedAt: doc,
    validFrom: null,
    validTo: null,
    termCount: 1,
    traits: 0,
    speaker: '',
    metadataKeys: '',
    topics: '[]',
    ...fields,
  };
}
