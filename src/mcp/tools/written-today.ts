import { summaryOf } from '../../briefing/context/context.ts';
import { type CountTokens, itemsWithin } from '../../briefing/text/tokens.ts';
import { DAY_MS, toIso } from '../../domain/shared/time.ts';
import type { ToolContext } from '../tool.ts';

const memoriesMax = 100;

interface Written {
  readonly id: string;
  readonly at: string;
  readonly summary: string;
}

/** Beginnings of memories written within a day, newest first; as JSON at most `maxTokens` tokens. */
export async function writtenToday(
  { services, user }: ToolContext,
  { maxTokens, countTokens }: { readonly maxTokens: number; readonly countTokens: CountTokens },
): Promise<Written[]> {
  const { items } = await services.search.browse(user, {
    filter: { createdFrom: services.clock.now() - DAY_MS, includeSuperseded: false },
    sortBy: 'createdAt',
    order: 'desc',
    limit: memoriesMax,
    offset: 0,
  });
  const written = items.map(({ id, createdAt, content }) => ({
    id,
    at: toIso(createdAt),
    summary: summaryOf(content),
  }));
  return itemsWithin(written, { max: maxTokens, countTokens });
}
