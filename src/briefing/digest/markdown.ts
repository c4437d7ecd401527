import { orderTime } from '../../domain/memories/memory.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { DigestSource, ScoredStatement } from './digest.ts';

const headingLengthMax = 120;

/** On one line, cut to the length of a heading, with markdown escaped. */
export function heading(level: 1 | 2, title: string): string {
  const line = title.replace(/\s+/g, ' ').trim();
  const short = line.length <= headingLengthMax ? line : `${line.slice(0, headingLengthMax - 1).trimEnd()}…`;
  return `${'#'.repeat(level)} ${short.replace(/^#+\s*/, '')}`;
}

/** Date of the event, else of writing: 2026-02-01. */
export const dayOf = ({ memory }: DigestSource) => toIso(orderTime(memory)).slice(0, 10);

/** By time of the source, order of writing, and place in it. */
export function inOrder(
  statements: readonly ScoredStatement[],
  sources: ReadonlyMap<number, DigestSource>,
): ScoredStatement[] {
  const placeOf = ({ source }: ScoredStatement) => {
    const memory = sources.get(source)?.memory;
    return memory ? [orderTime(memory), memory.seq] : [0, 0];
  };
  return [...statements].sort((a, b) => {
    const [x, y] = [placeOf(a), placeOf(b)];
    return x[0] - y[0] || x[1] - y[1] || a.position - b.position;
  });
}

/** The best statement stands first if its score is this many times that of the next. */
const leadMin = 1.2;

/** The answer first, if one statement is much better than all others; then in order of time. */
export function answerFirst(
  statements: readonly ScoredStatement[],
  sources: ReadonlyMap<number, DigestSource>,
): ScoredStatement[] {
  const [best, next, ...rest] = [...statements].sort((a, b) => b.score - a.score);
  if (!next || best.score < next.score * leadMin) return inOrder(statements, sources);
  return [best, ...inOrder([next, ...rest], sources)];
}
