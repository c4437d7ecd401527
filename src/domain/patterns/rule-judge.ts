/** Work for which rules are looked up. */
export interface TaskOfRules {
  readonly query: string;
  readonly context: readonly string[];
  /** Paths to be touched. */
  readonly files: readonly string[];
}

/** A rule, and the judgement by the words of rule and task. */
export interface RuleToJudge {
  readonly text: string;
  /** Whether it is given for this task. */
  readonly isGiven: boolean;
  /** Whether it is given whatever a judge says: a person wrote it, or it is on all answers. */
  readonly isFixed: boolean;
}

/** Rules that apply and were not given, or do not and were, by their positions; or the reason for having no judgement. */
export type RuleJudgement =
  | { readonly changes: readonly { readonly index: number; readonly applies: boolean }[] }
  | { readonly reason: string };

/** Judges in the background which rules apply to a task. */
export interface RuleJudge {
  /** The judgement, if it is ready; otherwise requests it for a later call. Never waits. */
  judgementOf(userId: number, task: TaskOfRules, rules: readonly RuleToJudge[]): RuleJudgement;
}
