/** A group of features that an explanation adds up: its phrase there, and its group in `branchScores`. */
export interface FeatureFamily {
  readonly phrase: string;
  readonly group: string;
  /** Weight of the request that multiplies the features of this family; undefined for none. */
  readonly factor?: 'fulltext' | 'vector';
}

export const families = {
  words: { phrase: 'its own words', group: 'fulltext', factor: 'fulltext' },
  wordsAround: { phrase: 'words of the memories around it', group: 'conversation', factor: 'fulltext' },
  questionBefore: { phrase: 'the question before it', group: 'conversation', factor: 'fulltext' },
  conversation: { phrase: 'the conversation as a whole', group: 'conversation', factor: 'fulltext' },
  synonyms: { phrase: 'words of near meaning', group: 'vector', factor: 'vector' },
  similarWords: { phrase: 'words similar to those of the query', group: 'vector', factor: 'vector' },
  similarity: { phrase: 'its meaning', group: 'vector', factor: 'vector' },
  similarityAround: { phrase: 'the meaning of what is around it', group: 'vector', factor: 'vector' },
  speaker: { phrase: 'who says it', group: 'conversation' },
  shortQuestion: { phrase: 'being a short question, or none', group: 'conversation' },
  traits: { phrase: 'the numbers and names in it', group: 'text' },
  place: { phrase: 'where it is in its conversation', group: 'conversation' },
  time: { phrase: 'the time that the query speaks of', group: 'time' },
} as const satisfies Readonly<Record<string, FeatureFamily>>;
export type FamilyName = keyof typeof families;

/**
 * Family of a feature; `query` for one that is equal for
 * all candidates of a query and decides how others count.
 */
export type FeatureOwner = FamilyName | 'query';

/** Every feature of a candidate, in the order of the weights; docs/search.md explains each. */
export const featureOwners = {
  own: 'words',
  ownOfQuery: 'words',
  coverage: 'words',
  ownWithoutNames: 'words',
  before: 'wordsAround',
  after: 'wordsAround',
  twoBefore: 'wordsAround',
  twoAfter: 'wordsAround',
  coverageWithBefore: 'wordsAround',
  coverageAround: 'wordsAround',
  questionBefore: 'questionBefore',
  conversation: 'conversation',
  synonyms: 'synonyms',
  synonymsBefore: 'synonyms',
  synonymsAfter: 'synonyms',
  maxSim: 'similarWords',
  maxSimOfBest: 'similarWords',
  maxSimAbove: 'similarWords',
  maxSimLeast: 'similarWords',
  maxSimReverse: 'similarWords',
  maxSimBefore: 'similarWords',
  maxSimWithBefore: 'similarWords',
  maxSimAround: 'similarWords',
  missingWord: 'similarWords',
  similarity: 'similarity',
  similarityOfBest: 'similarity',
  similarityBefore: 'similarityAround',
  similarityAfter: 'similarityAround',
  similarityBeforeOfBest: 'similarityAround',
  similarityAfterOfBest: 'similarityAround',
  similarityOfConversation: 'similarityAround',
  conversationOfBest: 'similarityAround',
  speaker: 'speaker',
  otherSpeaker: 'speaker',
  shortQuestion: 'shortQuestion',
  hasNumber: 'traits',
  names: 'traits',
  place: 'place',
  hasContext: 'place',
  time: 'time',
  queryCoverage: 'query',
  queryTerms: 'query',
  queryNames: 'query',
  queryMaxSim: 'query',
  queryMissingWord: 'query',
  querySimilarity: 'query',
} as const satisfies Readonly<Record<string, FeatureOwner>>;
export type FeatureName = keyof typeof featureOwners;

export const featureNames = Object.keys(featureOwners) as readonly FeatureName[];
export const featureCount = featureNames.length;

/** Index of each feature in a row of values. */
export const placeOf = Object.fromEntries(featureNames.map((name, i) => [name, i])) as Readonly<
  Record<FeatureName, number>
>;
