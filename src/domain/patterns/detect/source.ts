import type { Role } from '../../memories/memory.ts';
import type { EpochMs } from '../../shared/time.ts';
import type { PatternClaim } from '../pattern.ts';

/** A memory as detection reads it. */
export interface Source {
  readonly id: string;
  readonly content: string;
  readonly at: EpochMs;
  readonly conversationId: string;
  readonly topics: readonly string[];
  readonly role: Role | null;
  /** Superseded or contradicted: it shows nothing, and speaks against what it says. */
  readonly isPast: boolean;
  readonly facts: readonly SourceFact[];
}

export interface SourceFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly isNegated: boolean;
}

/** What one sentence of a memory claims. */
export interface Claim extends PatternClaim {
  readonly source: Source;
  /** The sentence, word for word. */
  readonly sentence: string;
  /** What it is shown as. */
  readonly name: string;
  readonly isHedged: boolean;
  /** Words that equal claims share. */
  readonly words: ReadonlySet<string>;
}

/** A pattern as found, not yet stored. */
export interface Found extends PatternClaim {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly context: string | null;
  readonly confidence: number;
  readonly wordedBy: string;
  /** Memories that show it, in order of time; each once. */
  readonly evidence: readonly { readonly memoryId: string; readonly at: EpochMs }[];
}
