// Made by npm run bench:relevance -- --write from bench/data/talks and bench/data/never-stored. Not to be edited.
import type { SearchMethod } from '../request.ts';
import type { RelevanceWeights } from './relevance.ts';

export const relevanceWeights: Readonly<Record<SearchMethod, RelevanceWeights>> = {
  keyword: {
    bias: -6.63863,
    weights: {
      coverage: 7.49928,
      unknown: -3.76891,
      queryWords: 2.47237,
      similarity: 0,
      lead: 3.1308,
      length: 0.22764,
      speaker: 1.59153,
      question: 0.76698,
      synonyms: 0,
      around: 2.53369,
      conversation: -1.44959,
      semanticAround: 0,
    },
  },
  semantic: {
    bias: -17.38107,
    weights: {
      coverage: 4.41193,
      unknown: -2.87069,
      queryWords: 2.45403,
      similarity: 9.4004,
      lead: 2.1535,
      length: 1.7953,
      speaker: 0.12982,
      question: 0,
      synonyms: 0,
      around: 0,
      conversation: 0,
      semanticAround: 4.99853,
    },
  },
  hybrid: {
    bias: -15.62014,
    weights: {
      coverage: 6.22361,
      unknown: -2.68185,
      queryWords: 2.22904,
      similarity: 10.67017,
      lead: 0.8505,
      length: 0.54481,
      speaker: 0.46775,
      question: -1.21816,
      synonyms: 2.30329,
      around: 5.51616,
      conversation: -2.77428,
      semanticAround: 11.80116,
    },
  },
};
