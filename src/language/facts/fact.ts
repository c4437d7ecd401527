/** `text.slice(start, end)` of the given text. */
export interface SourceSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How a fact was said: plainly, with doubt or as hearsay, or as a plan. */
export type FactBasis = 'direct' | 'hedged' | 'planned';

/** A statement of a text. */
export interface ExtractedFact {
  /** The speaker's name if the text begins with a speaker and says "I". */
  readonly subject: SourceSpan;
  /** Whether the subject is the speaker. */
  readonly isSelf: boolean;
  /** Verb with auxiliaries, negation and preposition: `moved to`, `is stored in`, `no longer uses`. */
  readonly predicate: string;
  /** The verb, or the auxiliary of a copula, in the source. */
  readonly verb: SourceSpan;
  /** Base form of the verb, or of the adjective or noun after a copula. */
  readonly head: string;
  readonly object: SourceSpan;
  /** Whether the object is an adjective or belongs to one: `is allergic to shellfish`. */
  readonly isState: boolean;
  readonly isNegated: boolean;
  readonly basis: FactBasis;
  /** Name of the speaker if the text begins with one. */
  readonly speaker: string | undefined;
  /** Dates, weekdays and other times in the same sentence, as written. */
  readonly times: readonly SourceSpan[];
  /** The parser's smallest margin over the sentence. */
  readonly margin: number;
  /** 0 to 1, from the margin and the basis. */
  readonly confidence: number;
  /** Whether it says something to a reader who does not see the text; the others are only compared. */
  readonly isUseful: boolean;
}
