import { textOfProse } from '../../domain/prose/prose-writer.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import type { CountTokens } from '../text/tokens.ts';
import type { DigestMaterial, DigestRequest, WordedBy } from './digest.ts';
import type { FittedDigest } from './fit-digest.ts';
import { narrativeOrder } from './narrative.ts';
import { renderDigest } from './render.ts';

interface Worded {
  readonly text: string;
  readonly prose: WordedBy;
}

interface Written {
  readonly material: DigestMaterial;
  readonly fitted: FittedDigest;
  readonly countTokens: CountTokens;
}

/**
 * A narrative in the words of the LLM, if they are available, checked
 * and within the budget; else the narrative unchanged, with the reason.
 */
export function inProse(
  { proseWriter }: BriefingDeps,
  user: UserRef,
  { format, tokenBudget }: DigestRequest,
  { material, fitted, countTokens }: Written,
): Worded {
  const offline = (reason: string): Worded => ({ text: fitted.text, prose: { by: 'offline', reason } });
  if (!proseWriter) return offline('No LLM is configured.');
  if (format !== 'narrative') return offline('Only the format narrative is prose.');
  const statements = narrativeOrder(material, fitted.statements).flatMap((thread) => thread.statements);
  if (statements.length === 0) return offline('There is nothing to tell.');
  const texts = statements.map(({ text }) => text);
  const prose = proseWriter.proseOf(user.id, texts);
  if ('reason' in prose) return offline(prose.reason);
  const sentences = prose.sentences.map((sentence) => ({
    text: textOfProse(sentence, texts),
    statements: sentence.statements.map((index) => statements[index]),
  }));
  const text = renderDigest(material, fitted.statements, format, sentences);
  return countTokens(text) <= tokenBudget
    ? { text, prose: { by: 'llm' } }
    : offline('The prose of the LLM is longer than the token budget.');
}
