import { isPending } from '../../../domain/patterns/pattern.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { Breather } from '../../../lib/loop-time.ts';
import { analyze } from '../../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../../briefing-deps.ts';
import { instructionText } from '../../instructions/instruction-text.ts';
import { sharesWord, termsOf } from '../../instructions/pattern-fit.ts';
import type { ContextMemory, ContextPattern, ContextRequest } from '../context.ts';

const patternsShownMax = 10;

/** Stored patterns that share a word with the task or have a matching memory as evidence, by confidence. */
export async function findRelatedPatterns(
  deps: BriefingDeps,
  user: UserRef,
  { context, files }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<ContextPattern[]> {
  const stored = deps.stores.forUser(user).patterns;
  const patterns = await stored.listSummaries();
  if (patterns.length === 0) return [];
  const terms = new Set(analyze([context, ...files].join('\n')));
  const shown = await stored.listShownBy((await memories).map(({ id }) => id));
  const breather = new Breather();
  const found: ContextPattern[] = [];
  for (const pattern of patterns) {
    if (found.length === patternsShownMax) break;
    const pause = breather.pause();
    if (pause) await pause;
    if (!pattern.isActive || isPending(pattern)) continue;
    if (!shown.has(pattern.id) && !sharesWord(termsOf(pattern), terms)) continue;
    found.push({ pattern: instructionText(pattern), confidence: pattern.confidence });
  }
  return found;
}
