import type { PatternSource, PatternSummary } from '../../domain/patterns/pattern.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import { type BriefingDeps, briefingSearch } from '../briefing-deps.ts';

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

const instructionLengthMax = 500;

/** The instruction of a pattern, by a template of its type; the description if a person wrote it. */
export function instructionText({ type, owner, name, description, edited }: PatternSummary): string {
  if (edited.includes('description') && description !== '') return cut(description);
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

/** Maximum number of memories whose patterns match a text. */
const memoriesMax = 20;

/** The words of a pattern as the keyword index has them. */
export const termsOf = ({ name, description, context }: PatternSummary) =>
  new Set(analyze(`${name} ${description} ${context ?? ''}`));

/** The memories that a hybrid search finds for a text; none for a blank one. */
export async function memoriesFor(
  { search }: BriefingDeps,
  user: UserRef,
  text: string,
): Promise<readonly string[]> {
  if (text.trim() === '') return [];
  const { hits } = await search.search(user, briefingSearch(text, memoriesMax, {}));
  return hits.map(({ memory }) => memory.id);
}

export function sharesWord(words: ReadonlySet<string>, terms: ReadonlySet<string>): boolean {
  for (const word of words) if (terms.has(word)) return true;
  return false;
}
