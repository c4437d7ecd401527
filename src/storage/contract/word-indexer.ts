import type { DocumentIndexer } from '../../domain/shared/text-indexer.ts';
import { metadataKeysOf } from '../../search-index/columns/metadata-column.ts';

const words = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** The plainest indexer there can be: storage does not care which terms it is given. */
export const wordIndexer: DocumentIndexer = {
  version: 1,
  memory: ({ content, metadata }) => ({
    terms: words(content),
    traits: 0,
    speaker: '',
    metadataKeys: metadataKeysOf(metadata),
  }),
  conversation: (title) => ({ terms: words(title), traits: 0, speaker: '', metadataKeys: '' }),
  fact: (fact) => ({
    terms: words(`${fact.subject} ${fact.predicate} ${fact.object}`),
    traits: 0,
    speaker: '',
    metadataKeys: '',
  }),
};
