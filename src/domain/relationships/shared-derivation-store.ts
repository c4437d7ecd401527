/** An entity that a version mentions, as shown. */
export interface MentionedEntity {
  /** Of the entity that it was merged into. */
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A fact that a version says. */
export interface SaidFact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** What was derived from one version of a memory and is shown; at most 200 of each. */
export interface VersionDerivation {
  readonly entities: readonly MentionedEntity[];
  readonly facts: readonly SaidFact[];
  /** Names of derived topics, as shown. */
  readonly topics: readonly string[];
}

export interface SharedDerivationReader {
  derivationOf(doc: number): Promise<VersionDerivation>;
}
