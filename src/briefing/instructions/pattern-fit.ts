import type { PatternSummary } from '../../domain/patterns/pattern.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { briefingSearch } from '../briefing-search.ts';

/** Memories whose patterns fit a text. */
const memoriesMax = 20;

/** The words of a pattern as the keyword index has them. */
export const termsOf = ({ name, description, context }: PatternSummary) =>
  new Set(analyze(`${name} ${description} ${context ?? ''}`));

/** The memories that a hybrid search finds for a text; none for a blank one. */
export async function memoriesFor(
  { search }: BriefingDeps,
  user: UserRef,
  text: string,
): Promise<readonly string[]> {
  if (text.trim() === '') return [];
  const { hits } = await search.search(user, briefingSearch(text, memoriesMax, {}));
  return hits.map(({ memory }) => memory.id);
}

export function sharesWord(words: ReadonlySet<string>, terms: ReadonlySet<string>): boolean {
  for (const word of words) if (terms.has(word)) return true;
  return false;
}
