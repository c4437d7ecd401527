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
  soft: 'words of near meaning',
  softBefore: 'words of near meaning before it',
  softAfter: 'words of near meaning after it',
  near: 'its meaning',
  nearBefore: 'the meaning of the memory before it',
  nearAfter: 'the meaning of the memory after it',
  nearConversation: 'the meaning of the conversation',
};

export interface ExplainedParts {
  /** Words of the memory, its name, topics and date that are terms of the query. */
  readonly matchedTerms: readonly string[];
  /** How the query was read. */
  readonly notes: readonly string[];
  /** What each ingredient gave, in their order; undefined where memories are judged alone. */
  readonly contributions: Float64Array | undefined;
  readonly ownScore: number;
  /** 0 to 1; null where it was not looked at or too far. */
  readonly similarity: number | null;
  /** The near words it was found by, as `pets ~ dog`. */
  readonly synonyms: readonly string[];
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}

function reasonOf(parts: ExplainedParts, strongest: string | undefined): string {
  const { matchedTerms, ownScore, similarity, synonyms } = parts;
  const words = matchedTerms.map((word) => `"${word}"`).join(', ');
  if (matchedTerms.length > 0) return `Holds ${words}${strongest ? `; helped by ${strongest}` : ''}.`;
  // Only the beginning of a long text is looked through for them.
  if (ownScore > 0) return 'Holds a word of the query.';
  if (synonyms.length > 0) return `Holds words of near meaning: ${synonyms.join(', ')}.`;
  if (similarity !== null) return `Is near in meaning: similarity ${similarity.toFixed(2)}.`;
  return `Stands beside memories that match${strongest ? `: helped by ${strongest}` : ''}.`;
}

/** The reason in words; what each part of the score gave, strongest first, then how the query was read. */
export function explain(parts: ExplainedParts): Explanation {
  const { matchedTerms, contributions, ownScore, similarity, synonyms } = parts;
  const meaning = [
    ...(similarity === null ? [] : [`similarity ${similarity.toFixed(3)}`]),
    ...(synonyms.length === 0 ? [] : [`near words: ${synonyms.join(', ')}`]),
  ];
  const notes = [...meaning, ...parts.notes];
  if (!contributions) {
    return {
      matchReason: reasonOf(parts, undefined),
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
    matchReason: reasonOf(parts, helper && phrases[helper.name]),
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
