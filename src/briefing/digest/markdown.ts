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

/** A statement and the number of its source. */
export const cited = ({ text, source }: Pick<ScoredStatement, 'text' | 'source'>) => `${text} [${source}]`;

/** List items in order of time; each has its day if that differs from the previous one's. */
export function datedItems(
  statements: readonly ScoredStatement[],
  sources: ReadonlyMap<number, DigestSource>,
) {
  let before = '';
  return inOrder(statements, sources).map((statement) => {
    const source = sources.get(statement.source);
    const day = source ? dayOf(source) : '';
    const prefix = day === before ? '' : `${day}: `;
    before = day;
    return `- ${prefix}${cited(statement)}`;
  });
}

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
