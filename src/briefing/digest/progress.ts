import type { Memory } from '../../domain/memories/memory.ts';

export const progressTitles = { done: 'Done', doing: 'In progress', blocked: 'Blocked' } as const;
export type Progress = keyof typeof progressTitles;

const blocked =
  /\b(blocked|blocker|stuck|waiting (?:for|on)|cannot|can't|unable to|fails?|failing|broken|depends on|on hold)\b/i;
const done =
  /\b(done|finished|completed?|shipped|merged|released|deployed|fixed|resolved|solved|closed|landed|signed off|delivered|published)\b/i;
const notYet =
  /\b(not|isn't|aren't|wasn't|yet to|to be|will be|needs? to|should|must|want(?:s|ed)? to|plan(?:s|ned)? to|todo)\b/i;

/** By the outcome that a client stated, else by words: a fix or an end without a "not yet" is done. */
export function progressOf({ outcome, content }: Pick<Memory, 'outcome' | 'content'>): Progress {
  if (outcome === 'resolved') return 'done';
  if (outcome === 'unresolved') return blocked.test(content) ? 'blocked' : 'doing';
  if (done.test(content) && !notYet.test(content)) return 'done';
  return blocked.test(content) ? 'blocked' : 'doing';
}
