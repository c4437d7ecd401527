import { orderTime } from '../../domain/memories/memory.ts';
import { toIso } from '../../domain/shared/time.ts';
import { groupBy } from '../../lib/collections.ts';
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

/** Sources under one heading. */
export interface SourceGroup {
  readonly title: string;
  readonly sources: readonly DigestSource[];
}

const otherTitle = 'Other';
const groupMin = 2;

/**
 * Puts each source into one group: its most common topic, else its conversation if two sources
 * or more share it, else the last group. Groups are in the order of their best source.
 */
export function groupByMatter(sources: readonly DigestSource[]): SourceGroup[] {
  const counts = new Map<string, number>();
  for (const { memory } of sources)
    for (const topic of new Set(memory.topics)) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const conversations = new Map<string, number>();
  for (const { memory } of sources)
    conversations.set(memory.conversationId, (conversations.get(memory.conversationId) ?? 0) + 1);
  return groupByTitle(sources, ({ memory, conversation }) => {
    const topics = memory.topics.filter((topic) => (counts.get(topic) ?? 0) >= groupMin);
    const [topic] = topics.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    if (topic !== undefined) return topic;
    const isShared = (conversations.get(memory.conversationId) ?? 0) >= groupMin;
    return isShared ? (conversation?.title ?? otherTitle) : otherTitle;
  });
}

/** By conversation. */
export function groupByThread(sources: readonly DigestSource[]): SourceGroup[] {
  return groupByTitle(sources, ({ conversation }) => conversation?.title ?? otherTitle);
}

/** By title, the sources of no group last. */
export function groupByTitle(
  sources: readonly DigestSource[],
  titleOf: (source: DigestSource) => string,
): SourceGroup[] {
  const groups = groupBy(sources, titleOf);
  const others = groups.get(otherTitle);
  groups.delete(otherTitle);
  if (others) groups.set(otherTitle, others);
  return [...groups].map(([title, some]) => ({ title, sources: some }));
}
