import type { DocumentIndexer } from '../../retrieval/ports.ts';

const words = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** The plainest indexer there can be: storage does not care which terms it is given. */
export const wordIndexer: DocumentIndexer = {
  version: 1,
  memory: ({ content }) => ({ terms: words(content), traits: 0, speaker: '' }),
  conversation: (title) => ({ terms: words(title), traits: 0, speaker: '' }),
  fact: (fact) => ({
    terms: words(`${fact.subject} ${fact.predicate} ${fact.object}`),
    traits: 0,
    speaker: '',
  }),
};
