import { type Ingredient, ingredients } from '../rank/in-conversation.ts';
import type { Explanation } from '../request.ts';

const phrases: Readonly<Record<Ingredient, string>> = {
  own: 'its own words',
  before: 'the memory before it',
  after: 'the memory after it',
  twoBefore: 'the memory two before it',
  twoAfter: 'the memory two after it',
  questionBefore: 'the question before it',
  answerAfter: 'the answer after it',
  conversation: 'the conversation as a whole',
  speaker: 'the speaker named in the query',
  question: 'being a question',
  shortQuestion: 'being a short question',
  time: 'the time that the query speaks of',
};

export interface ExplainedParts {
  /** Words of the memory that are terms of the query. */
  readonly matchedTerms: readonly string[];
  /** How the query was read. */
  readonly notes: readonly string[];
  /** What each ingredient gave, in their order; undefined where memories are judged alone. */
  readonly contributions: Float64Array | undefined;
  readonly ownScore: number;
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}

function reasonOf(matchedTerms: readonly string[], ownScore: number, strongest: string | undefined): string {
  const words = matchedTerms.map((word) => `"${word}"`).join(', ');
  if (matchedTerms.length > 0) return `Holds ${words}${strongest ? `; helped by ${strongest}` : ''}.`;
  if (ownScore > 0) return 'Its topics, name or date hold a word of the query.';
  return `Stands beside memories that match${strongest ? `: helped by ${strongest}` : ''}.`;
}

/** The reason in words; what each part of the score gave, strongest first, then how the query was read. */
export function explain({ matchedTerms, notes, contributions, ownScore }: ExplainedParts): Explanation {
  if (!contributions) {
    return {
      matchReason: reasonOf(matchedTerms, ownScore, undefined),
      matchedTerms,
      contributingFactors: [`${phrases.own} ${signed(ownScore)}`, ...notes],
    };
  }
  const given = ingredients
    .map((name, i) => ({ name, value: contributions[i] }))
    .filter(({ value }) => value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const helper = given.find(({ name, value }) => name !== 'own' && value > 0);
  return {
    matchReason: reasonOf(matchedTerms, ownScore, helper && phrases[helper.name]),
    matchedTerms,
    contributingFactors: [...given.map(({ name, value }) => `${phrases[name]} ${signed(value)}`), ...notes],
  };
}

export const browsed: Explanation = {
  matchReason: 'Passes the filters; no words were asked for.',
  matchedTerms: [],
  contributingFactors: [],
};

/** What is said of a version that an evolution tells of beside the match. */
export const toldOfMatch: Explanation = {
  matchReason: 'Another version of a match, or a memory that supersedes it or is superseded by it.',
  matchedTerms: [],
  contributingFactors: [],
};
