import {
  isPending,
  type PatternSummary,
  patternSource,
  patternTypes,
} from '../../domain/patterns/pattern.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { type CountTokens, loadTokenCounter } from '../text/tokens.ts';
import {
  type CompiledInstructions,
  type Instruction,
  type InstructionsRequest,
  instructionText,
  memoriesFor,
  type ResolvedConflict,
  sharesWord,
  termsOf,
} from './instructions.ts';

/**
 * The working preferences that an agent should know. Rules and corrections
 * always count, other patterns if they match the query or the context by a
 * word or by a memory that a search for both finds; without either all count.
 */
export async function compileInstructions(
  deps: BriefingDeps,
  user: UserRef,
  request: InstructionsRequest,
): Promise<CompiledInstructions> {
  const query = request.currentQuery ?? '';
  const context = request.conversationContext.join('\n');
  const stored = deps.stores.forUser(user).patterns;
  const [patterns, shown, countTokens] = await Promise.all([
    stored.listSummaries(),
    memoriesFor(deps, user, `${query}\n${context}`.trim().slice(0, 2000)).then((ids) =>
      stored.listShownBy(ids),
    ),
    loadTokenCounter(),
  ]);
  const queryTerms = new Set(analyze(query));
  const contextTerms = new Set(analyze(context));
  const asksNothing = query.trim() === '' && context.trim() === '';
  const activatedBy: ActivatedBy = (pattern) => {
    const terms = termsOf(pattern);
    return [
      ...(sharesWord(terms, queryTerms) ? ['query'] : []),
      ...(sharesWord(terms, contextTerms) ? ['context'] : []),
      ...(shown.has(pattern.id) ? ['memories'] : []),
      ...(asksNothing || pattern.type === 'rule' || pattern.type === 'correction' ? ['always'] : []),
    ];
  };
  return selectInstructions(patterns, request, activatedBy, countTokens);
}

/** The reasons that activate a pattern for a request; empty for none. */
type ActivatedBy = (pattern: PatternSummary) => readonly string[];

const typePriority = 10;
const manualPriority = 100;
const fitPriority = 5;

/** Rank by source, type and match: higher counts more. */
function priorityOf(pattern: PatternSummary, activatedBy: readonly string[]): number {
  const byType = (patternTypes.length - patternTypes.indexOf(pattern.type)) * typePriority;
  const byFit = activatedBy.filter((by) => by !== 'always').length * fitPriority;
  return byType + byFit + (pattern.edited.length > 0 ? manualPriority : 0);
}

/** Chooses the instructions of a request from all patterns of a user; never more tokens than its budget. */
export async function selectInstructions(
  patterns: readonly PatternSummary[],
  request: Pick<InstructionsRequest, 'tokenBudget' | 'minConfidence' | 'maxInstructions'>,
  activatedBy: ActivatedBy,
  countTokens: CountTokens,
): Promise<CompiledInstructions> {
  const pending = patterns.filter(isPending);
  const known = patterns.filter((pattern) => !isPending(pattern));
  const breather = new Breather();
  const activated: Instruction[] = [];
  for (const pattern of known) {
    if (!pattern.isActive || pattern.confidence < request.minConfidence) continue;
    const pause = breather.pause();
    if (pause) await pause;
    const by = activatedBy(pattern);
    const text = instructionText(pattern);
    if (by.length > 0 && text !== '')
      activated.push({
        pattern,
        text,
        priority: priorityOf(pattern, by),
        source: patternSource(pattern),
        activatedBy: by,
      });
  }
  const { winners, conflicts } = resolveConflicts(activated.sort(byPriority));
  const instructions = await withinBudget(winners, request, countTokens);
  return {
    instructions,
    tokenCount: countTokens(joined(instructions)),
    patternsEvaluated: patterns.length,
    patternsActivated: instructions.length,
    conflicts,
    systemState: stateOf(patterns.length, known.length, activated.length),
    pendingCount: pending.length,
    patternsExcluded: known.length - instructions.length,
  };
}

function stateOf(all: number, known: number, activated: number): CompiledInstructions['systemState'] {
  if (all === 0) return 'cold_start';
  if (known === 0) return 'pending_only';
  return activated === 0 ? 'no_match' : 'ok';
}

const byPriority = (a: Instruction, b: Instruction) =>
  b.priority - a.priority ||
  b.pattern.confidence - a.pattern.confidence ||
  b.pattern.lastSeen - a.pattern.lastSeen ||
  (a.pattern.id < b.pattern.id ? -1 : 1);

const plain = (text: string) => text.trim().toLowerCase();

/** Whether one contradicts the other, or rejects the choice of the other. */
function isConflict(a: PatternSummary, b: PatternSummary): boolean {
  if (a.owner !== b.owner || a.target === '' || b.target === '') return false;
  if (plain(a.target) === plain(b.target) && a.isNegated !== b.isNegated) return true;
  const putsAway = (one: PatternSummary, other: PatternSummary) =>
    one.against !== null && !other.isNegated && plain(one.against) === plain(other.target);
  return putsAway(a, b) || putsAway(b, a);
}

/** The first of two conflicting instructions stays. Only instructions with the same target can conflict. */
function resolveConflicts(inOrder: readonly Instruction[]) {
  const winners = new Map<Instruction, number>();
  const naming = new Map<string, Instruction[]>();
  const conflicts: ResolvedConflict[] = [];
  for (const one of inOrder) {
    const keys = thingsNamed(one.pattern);
    const near = keys.flatMap((key) => naming.get(key) ?? []);
    const [winner] = near
      .filter(({ pattern }) => isConflict(pattern, one.pattern))
      .sort((a, b) => (winners.get(a) ?? 0) - (winners.get(b) ?? 0));
    if (winner) {
      conflicts.push({ winnerId: winner.pattern.id, loserId: one.pattern.id });
      continue;
    }
    winners.set(one, winners.size);
    for (const key of keys) naming.set(key, [...(naming.get(key) ?? []), one]);
  }
  return { winners: [...winners.keys()], conflicts };
}

const thingsNamed = ({ owner, target, against }: PatternSummary): string[] =>
  [...new Set([target, against ?? target].map(plain))].map((thing) => `${owner} ${thing}`);

const joined = (instructions: readonly Instruction[]) => instructions.map(({ text }) => text).join('\n');

/**
 * The instructions that fit, in order; one that is too long is skipped,
 * because a shorter one after it may fit. Each is one line, and the tokens of
 * a line end with its line feed, so the sum over lines is that of the text.
 */
async function withinBudget(
  inOrder: readonly Instruction[],
  { tokenBudget, maxInstructions }: Pick<InstructionsRequest, 'tokenBudget' | 'maxInstructions'>,
  countTokens: CountTokens,
): Promise<Instruction[]> {
  const breather = new Breather();
  const kept: Instruction[] = [];
  let used = 0;
  for (const one of inOrder) {
    const pause = breather.pause();
    if (pause) await pause;
    if (kept.length === maxInstructions || used >= tokenBudget) break;
    if (used + countTokens(one.text) > tokenBudget) continue;
    kept.push(one);
    used += countTokens(`${one.text}\n`);
  }
  return kept;
}
