import { Type } from 'typebox';
import { toJson } from '../briefing/text/fence.ts';
import { estimateTokens } from '../lib/tokens.ts';
import type { MemoryItem } from './fields.ts';

/** Tokens reserved for the members around a list: counts, offsets, the hint. */
export const envelopeTokens = 90;
/** Maximum share of the budget for one memory of a list, so that a long one does not displace the others. */
const itemShare = 0.4;
const contentTokensMin = 20;
const ellipsisTokens = 2;
const commaTokens = 1;

export const listFields = {
  total: Type.Integer({ description: 'All there are, not only those answered.' }),
  omitted: Type.Optional(
    Type.Integer({ description: 'Items of this page that did not fit into maxTokens.' }),
  ),
  nextOffset: Type.Optional(Type.Integer({ description: 'The offset to go on with.' })),
};

export function tokensOf(value: unknown): number {
  return estimateTokens(toJson(value));
}

/** The longest beginning of a text, cut at a whole character, that takes at most `maxTokens` as JSON. */
export function cutText(text: string, maxTokens: number): string {
  let tokens = tokensOf(text);
  if (tokens <= maxTokens) return text;
  const room = Math.max(1, maxTokens - ellipsisTokens);
  let end = text.length;
  while (tokens > room && end > 0) {
    end = Math.min(end - 1, Math.floor((end * room) / tokens));
    tokens = tokensOf(text.slice(0, end));
  }
  return `${text.slice(0, end).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The memory; its content is cut if it takes more than `maxTokens` as JSON. */
export function cutMemory<M extends MemoryItem & { readonly metadata?: unknown }>(
  item: M,
  maxTokens: number,
): M {
  const tokens = tokensOf(item);
  if (tokens <= maxTokens) return item;
  const around = tokensOf({ ...item, truncated: true }) - tokensOf(item.content);
  const content = cutText(item.content, Math.max(contentTokensMin, maxTokens - around));
  // Fifty topics or large metadata alone may exceed a small budget.
  const rest = around > maxTokens / 2 ? { topics: undefined, metadata: undefined } : {};
  return { ...item, ...rest, content, truncated: true };
}

interface FittedList<T> {
  readonly items: readonly T[];
  readonly omitted: number;
}

/** The first items, best first, whose JSON fits into the rest of the budget. */
export function fitList<T>(items: readonly T[], maxTokens: number): FittedList<T> {
  let left = maxTokens - envelopeTokens;
  const fitting: T[] = [];
  for (const item of items) {
    left -= tokensOf(item) + commaTokens;
    if (left < 0) break;
    fitting.push(item);
  }
  return { items: fitting, omitted: items.length - fitting.length };
}

export function fitMemories(items: readonly MemoryItem[], maxTokens: number): FittedList<MemoryItem> {
  const room = maxTokens - envelopeTokens;
  const each = items.length === 1 ? room - commaTokens : room * itemShare;
  return fitList(
    items.map((item) => cutMemory(item, each)),
    maxTokens,
  );
}

interface FittedPage {
  readonly total: number;
  readonly offset: number;
  /** Number of items of the page before it was fitted. */
  readonly taken: number;
}

/** Counts around a fitted page: the next offset, if there is more. */
export function pageCounts({ omitted, items }: FittedList<unknown>, { total, offset, taken }: FittedPage) {
  const next = offset + (omitted > 0 ? items.length : taken);
  return { total, ...(omitted > 0 && { omitted }), ...(next < total && { nextOffset: next }) };
}
