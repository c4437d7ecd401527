import { type Pattern, patternsMax } from '../../domain/patterns/pattern.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyze } from '../../retrieval/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { briefingSearch } from '../briefing-search.ts';

/** Memories whose patterns fit a text. */
const memoriesMax = 20;

const wordsOf = ({ name, description, context }: Pattern) =>
  new Set(analyze(`${name} ${description} ${context ?? ''}`));

/** All patterns of a user that are seen. */
export async function readPatterns({ stores }: BriefingDeps, user: UserRef): Promise<readonly Pattern[]> {
  const { items } = await stores.forUser(user).patterns.list({ limit: patternsMax, offset: 0 });
  return items;
}

/** The memories that a hybrid search finds for a text; none for a blank one. */
export async function memoriesFor(
  { search }: BriefingDeps,
  user: UserRef,
  text: string,
): Promise<Set<string>> {
  if (text.trim() === '') return new Set();
  const { hits } = await search.search(user, briefingSearch(text, memoriesMax, {}));
  return new Set(hits.map(({ memory }) => memory.id));
}

/** Whether a pattern shares a word with a text, or is shown by one of the memories found for it. */
export function sharesWord(pattern: Pattern, terms: ReadonlySet<string>): boolean {
  for (const word of wordsOf(pattern)) if (terms.has(word)) return true;
  return false;
}

export const isShownBy = ({ evidence }: Pattern, memoryIds: ReadonlySet<string>): boolean =>
  evidence.some((id) => memoryIds.has(id));
