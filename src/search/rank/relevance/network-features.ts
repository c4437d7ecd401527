import type { JudgedSearch } from './judged-search.ts';

/** What can be said of a result where a network ordered the best. */
export const networkFeatures = [
  'network',
  'missingAnywhere',
  'unknownWord',
  'rarestWords',
  'similarityAfter',
  'similarityOfConversation',
  'hasContext',
  'hasNumber',
  'otherSpeaker',
] as const;

export type ValuesOfNetwork = Readonly<Record<(typeof networkFeatures)[number], number>>;

/** All 0 where no network ranked. */
export function valuesOfNetwork({ fused: { reranked } }: JudgedSearch): (row: number) => ValuesOfNetwork {
  if (!reranked) return () => none;
  const { known } = reranked;
  return (row) => ({
    network: reranked.scoreOf(row),
    missingAnywhere: reranked.valueOf(row, 'queryMissingWord'),
    unknownWord: known.missing,
    rarestWords: known.rarest,
    similarityAfter: reranked.valueOf(row, 'similarityAfterOfBest'),
    similarityOfConversation: reranked.valueOf(row, 'conversationOfBest'),
    hasContext: reranked.valueOf(row, 'hasContext'),
    hasNumber: reranked.valueOf(row, 'hasNumber'),
    otherSpeaker: reranked.valueOf(row, 'otherSpeaker'),
  });
}

const none = Object.fromEntries(networkFeatures.map((name) => [name, 0])) as ValuesOfNetwork;
