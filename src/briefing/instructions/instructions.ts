import type { PatternSource, PatternSummary } from '../../domain/patterns/pattern.ts';

export interface InstructionsRequest {
  readonly conversationContext: readonly string[];
  readonly currentQuery?: string;
  /** Maximum of all instructions together, in tokens of o200k; each is one line. */
  readonly tokenBudget: number;
  readonly minConfidence: number;
  readonly maxInstructions: number;
}

export interface Instruction {
  readonly pattern: PatternSummary;
  /** At most 500 UTF-16 units. */
  readonly text: string;
  readonly priority: number;
  readonly source: PatternSource;
  /** `query`, `context`, `memories` or `always`. */
  readonly activatedBy: readonly string[];
}

export interface ResolvedConflict {
  readonly winnerId: string;
  readonly loserId: string;
}

export interface CompiledInstructions {
  /** The most important first. */
  readonly instructions: readonly Instruction[];
  readonly tokenCount: number;
  readonly patternsEvaluated: number;
  readonly patternsActivated: number;
  readonly conflicts: readonly ResolvedConflict[];
  readonly systemState: 'ok' | 'cold_start' | 'pending_only' | 'no_match';
  readonly pendingCount: number;
  readonly patternsExcluded: number;
}

export const instructionLengthMax = 500;
