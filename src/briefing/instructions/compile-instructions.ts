import {
  isPending,
  type PatternSummary,
  patternSource,
  patternTypes,
} from '../../domain/patterns/pattern.ts';
import type { RuleToJudge, TaskOfRules } from '../../domain/patterns/rule-judge.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import { type BriefingDeps, briefingSearch } from '../briefing-deps.ts';
import { type CountTokens, loadTokenCounter } from '../text/tokens.ts';
import { fitsWords, isOnAnswers, termsOfFiles, termsOfTask } from './fit.ts';
import {
  type CompiledInstructions,
  type Instruction,
  type InstructionsRequest,
  instructionText,
  type JudgedBy,
  type ResolvedConflict,
} from './instructions.ts';

/**
 * The rules, preferences and other patterns that a task calls for: those that share a word of their subject with the
 * query, the context or the files, or are stated by a memory that a search finds relevant. Rules on how to answer count
 * always; without a task all do.
 */
export async function compileInstructions(
  deps: BriefingDeps,
  user: UserRef,
  request: InstructionsRequest,
): Promise<CompiledInstructions> {
  const { currentQuery: query = '', files = [] } = request;
  const context = request.conversationContext.join('\n');
  const stored = deps.stores.forUser(user).patterns;
  const patterns = await stored.listSummaries();
  const isToSearch = patterns.length > 0 && `${query}${context}`.trim() !== '';
  const [shown, countTokens] = await Promise.all([
    isToSearch
      ? relevantMemories(deps, user, `${query}\n${context}`).then((ids) => stored.listShownBy(ids))
      : new Set(),
    loadTokenCounter(),
  ]);
  const terms = { query: termsOfTask(query), context: termsOfTask(context), files: termsOfFiles(files) };
  const asksNothing = query.trim() === '' && context.trim() === '' && files.length === 0;
  const activatedBy: ActivatedBy = (pattern) => [
    ...(fitsWords(pattern, terms.query) ? ['query'] : []),
    ...(fitsWords(pattern, terms.context) ? ['context'] : []),
    ...(fitsWords(pattern, terms.files) ? ['files'] : []),
    ...(shown.has(pattern.id) ? ['memories'] : []),
    ...(asksNothing || isOnAnswers(pattern) ? ['always'] : []),
  ];
  const task = { query, context: request.conversationContext, files };
  const { judged, activated } = asksNothing
    ? { judged: undefined, activated: activatedBy }
    : await judgedBy(deps, user, { task, patterns, activatedBy, minConfidence: request.minConfidence });
  const compiled = await selectInstructions(patterns, request, activated, countTokens);
  return judged ? { ...compiled, judged } : compiled;
}

interface ToJudge {
  readonly task: TaskOfRules;
  readonly patterns: readonly PatternSummary[];
  readonly activatedBy: ActivatedBy;
  readonly minConfidence: number;
}

/** Maximum number of rules of which an LLM is asked: those that are given, then the most certain. */
const judgedMax = 60;

/** Activations of a pattern, as judged by an LLM if one is configured and has responded. */
async function judgedBy(
  { ruleJudge }: BriefingDeps,
  user: UserRef,
  { task, patterns, activatedBy, minConfidence }: ToJudge,
): Promise<{ judged: JudgedBy | undefined; activated: ActivatedBy }> {
  if (!ruleJudge) return { judged: undefined, activated: activatedBy };
  const breather = new Breather();
  const all: (RuleToJudge & { readonly pattern: PatternSummary })[] = [];
  for (const pattern of patterns) {
    const pause = breather.pause();
    if (pause) await pause;
    const text = instructionText(pattern);
    if (isPending(pattern) || !pattern.isActive || pattern.confidence < minConfidence || text === '')
      continue;
    const isFixed = pattern.edited.length > 0 || isOnAnswers(pattern);
    all.push({ text, isGiven: activatedBy(pattern).length > 0, isFixed, pattern });
  }
  const rules = all
    .sort(
      (a, b) =>
        Number(b.isGiven) - Number(a.isGiven) ||
        b.pattern.confidence - a.pattern.confidence ||
        (a.pattern.id < b.pattern.id ? -1 : 1),
    )
    .slice(0, judgedMax);
  const judgement = ruleJudge.judgementOf(
    user.id,
    task,
    rules.map(({ pattern: _, ...rule }) => rule),
  );
  if ('reason' in judgement)
    return { judged: { by: 'words', reason: judgement.reason }, activated: activatedBy };
  const changes = new Map(judgement.changes.map(({ index, applies }) => [rules[index].pattern.id, applies]));
  const activated: ActivatedBy = (pattern) => {
    const applies = changes.get(pattern.id);
    if (applies === undefined) return activatedBy(pattern);
    return applies ? ['llm'] : [];
  };
  return { judged: { by: 'llm' }, activated };
}

/** Maximum number of memories whose patterns match a text. */
const memoriesMax = 10;
const textLengthMax = 2000;
/** A memory of this relevance is as often right as not. */
const relevanceMin = 0.5;

/** Ids of the memories that are about a text, each judged alone; the date of a plan is not that of the memories. */
async function relevantMemories({ search }: BriefingDeps, user: UserRef, text: string): Promise<string[]> {
  const request = briefingSearch(text.trim().slice(0, textLengthMax), memoriesMax, {});
  const { hits } = await search.search(user, {
    ...request,
    readsTimes: false,
    context: false,
    minRelevance: relevanceMin,
  });
  return hits.map(({ memory }) => memory.id);
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
