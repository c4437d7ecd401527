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
export function valuesOfNetwork({ last: { network } }: JudgedSearch): (row: number) => ValuesOfNetwork {
  if (!network) return () => none;
  const { known } = network;
  return (row) => ({
    network: network.scoreOf(row),
    missingAnywhere: network.valueOf(row, 'queryMissingWord'),
    unknownWord: known.missing,
    rarestWords: known.rarest,
    similarityAfter: network.valueOf(row, 'similarityAfterOfBest'),
    similarityOfConversation: network.valueOf(row, 'conversationOfBest'),
    hasContext: network.valueOf(row, 'hasContext'),
    hasNumber: network.valueOf(row, 'hasNumber'),
    otherSpeaker: network.valueOf(row, 'otherSpeaker'),
  });
}

const none = Object.fromEntries(networkFeatures.map((name) => [name, 0])) as ValuesOfNetwork;
