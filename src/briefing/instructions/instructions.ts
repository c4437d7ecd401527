import type { PatternSource, PatternSummary } from '../../domain/patterns/pattern.ts';

export interface InstructionsRequest {
  readonly conversationContext: readonly string[];
  readonly currentQuery?: string;
  /** Paths to be touched. */
  readonly files?: readonly string[];
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
  /** `query`, `context`, `files`, `memories`, `llm` or `always`. */
  readonly activatedBy: readonly string[];
}

export interface ResolvedConflict {
  readonly winnerId: string;
  readonly loserId: string;
}

/** Who said which rules apply, and the reason if it is not the LLM that is configured. */
export interface JudgedBy {
  readonly by: 'words' | 'llm';
  readonly reason?: string;
}

export interface CompiledInstructions {
  /** Set if an LLM is configured and there is a task. */
  readonly judged?: JudgedBy;
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

const instructionLengthMax = 500;

/** The instruction of a pattern: a rule in its own words, others by a template; the description if a person wrote it. */
export function instructionText({ type, owner, name, description, edited }: PatternSummary): string {
  if (edited.includes('description') && description !== '') return cut(description);
  if (type === 'rule' && description !== '' && !edited.includes('name')) return cut(description);
  const whose = owner === 'user' || owner === '' ? '' : `${owner}: `;
  switch (type) {
    case 'rule':
    case 'correction':
    case 'preference':
    case 'tool':
      return cut(`${whose}${name}.`);
    case 'habit':
      return cut(`Keep in mind: ${whose}${name}.`);
    case 'sequence':
      return cut(`${name} usually comes next.`);
    case 'temporal':
      return cut(`${description || name}`);
  }
}

function cut(text: string): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/([.!])\.$/u, '$1')
    .trim();
  return line.slice(0, instructionLengthMax).replace(/[\ud800-\udbff]$/u, '');
}
