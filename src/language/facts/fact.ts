/** `text.slice(start, end)` of the text given. */
export interface SourceSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How a fact was said: as it is, with a doubt or by hearsay, or as something that will be. */
export type FactBasis = 'direct' | 'hedged' | 'planned';

/** A statement of a text. */
export interface ExtractedFact {
  /** The speaker's name where the text says "I" and begins with a speaker. */
  readonly subject: SourceSpan;
  /** Whether the subject is who speaks. */
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
  /** Who said it, where the text begins with a speaker. */
  readonly speaker: string | undefined;
  /** Dates, weekdays and the like of the same sentence, as written. */
  readonly times: readonly SourceSpan[];
  /** The parser's smallest margin over the sentence. */
  readonly margin: number;
  /** 0 to 1, from the margin and the basis. */
  readonly confidence: number;
}
