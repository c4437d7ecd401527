import type { Memory } from '../../domain/memories/memory.ts';

export const progressTitles = { done: 'Done', open: 'Open', blocked: 'Blocked' } as const;
export type Progress = keyof typeof progressTitles;

const blocked =
  /\b(?:blocked|blocker|stuck|waits? (?:for|on)|waiting (?:for|on)|on hold|paused until|held up)\b/i;
const done =
  /\b(?:done|finished|completed|shipped|merged|released|deployed|fixed|resolved|solved|landed|signed off|delivered|published|rolled out|repaired|migrated|replaced)\b|\b(?:is|was|are|were|has been|been|got|now) closed\b|\bclosed (?:[A-Z]+-\d|#\d|the (?:ticket|bug|issue|task))|^closed\b|\b[A-Z]+-\d+ closed\b/i;
const open =
  /\b(?:todo|to do|open|in progress|wip|ongoing|under way|underway|working on|looking into|investigating|pending|unresolved|not yet|yet to|needs? (?:to|a|an|work|fixing|review)|still (?:missing|to|fails?|broken|open)|have to|remains?|left to|follow-up|next(?: step|:)|in review|under review|started|plan(?:s|ned)? to|is planned|are planned|is missing|are missing|unclear)\b/i;
const problem =
  /\b(?:bugs?|regression|incident|outage|vulnerability|security issue|crash(?:es|ed)?|leaks?|fails?|failing|failed|broken|flaky|hangs?|times? out|does not work|doesn['’]t work|not (?:checked|validated|working)|cannot|can['’]t|unable to|wrong(?:ly)?)\b/i;
const notYet =
  /\b(?:not|isn['’]t|aren['’]t|wasn['’]t|yet to|to be|will be|needs? to|should|must|want(?:s|ed)? to|plan(?:s|ned)? to|todo|once|until|when|before|after)\b/i;
/** A rule, a habit or a setting: it is not done and not open, it holds. */
const lasting =
  /^(?:rule|convention|policy|preference|decision|decided|rejected)\b|\b(?:never|always|every|each|usually|by default|defaults? to|do not|don['’]t|must not|avoid|prefers?|make sure)\b/i;

/**
 * The state of a task, by the outcome that a client stated, by a relationship that resolves it, else by words;
 * undefined if it tells of no task but of a rule, a setting or an event.
 */
export function progressOf(
  { outcome, content }: Pick<Memory, 'outcome' | 'content'>,
  isResolved: boolean,
): Progress | undefined {
  if (outcome === 'resolved' || isResolved) return 'done';
  const isBlocked = blocked.test(content);
  if (outcome === 'unresolved') return isBlocked ? 'blocked' : 'open';
  if (lasting.test(content) && !/\b(?:todo|open|blocked)\b/i.test(content)) return undefined;
  const clause = clauseWith(done, content);
  if (clause !== undefined && !notYet.test(clause)) return 'done';
  if (isBlocked) return 'blocked';
  return open.test(content) || problem.test(content) ? 'open' : undefined;
}

/** The clause of a text in which a word stands first. */
function clauseWith(words: RegExp, content: string): string | undefined {
  return content.split(/(?<=[.!?;,])\s|\n/).find((clause) => words.test(clause));
}
