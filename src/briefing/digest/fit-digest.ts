import { type ProseWriter, textOfProse } from '../../domain/prose/prose-writer.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { chooseDiverse } from '../text/diversity.ts';
import { type CountTokens, hasTokens } from '../text/tokens.ts';
import type { DigestFormat, DigestMaterial, DigestRequest, ScoredStatement, WordedBy } from './digest.ts';
import { groupByMatter } from './group-sources.ts';
import { narrativeOrder } from './narrative.ts';
import { type RenderedDigest, renderDigest } from './render.ts';

/** Candidate statements of a digest. */
const choiceMax = 200;

/** Statements of a digest without a list of days: so many times the square root of the number of sources. */
const lengthOfDigest = 3;
const statementsMin = 8;

interface FittedDigest extends RenderedDigest {
  /** Statements in the digest, best first. */
  readonly statements: readonly ScoredStatement[];
  /** Chosen statements that did not fit into the budget. */
  readonly omitted: number;
}

/**
 * The digest with as many of the best different statements as the budget
 * allows; without statements if not even one fits, and cut if that is too long.
 */
export async function fitDigest(
  material: DigestMaterial,
  format: DigestFormat,
  { budget, countTokens }: { readonly budget: number; readonly countTokens: CountTokens },
): Promise<FittedDigest> {
  const choice = await chooseDiverse(material.statements.slice(0, choiceMax), bound(material, format));
  const textOf = (count: number) => renderDigest(material, choice.slice(0, count), format);
  const fits = ({ text }: Pick<RenderedDigest, 'text'>) => hasTokens(countTokens, text, budget);
  let [least, most] = [0, choice.length];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (await fits(textOf(middle))) least = middle;
    else most = middle - 1;
  }
  const { text, used } = textOf(least);
  return {
    text: (await fits({ text })) ? text : await cutTo(text, (part) => fits({ text: part })),
    used,
    statements: choice.slice(0, least),
    omitted: choice.length - least,
  };
}

/** A digest is shorter than its sources: the more there are, the smaller the share that it tells. */
function bound({ sources }: DigestMaterial, format: DigestFormat): number {
  if (format === 'timeline' || format === 'status-report') return choiceMax;
  return Math.max(statementsMin, Math.round(lengthOfDigest * Math.sqrt(sources.length)));
}

/** The longest beginning of a text, in whole words, that fits. */
async function cutTo(text: string, fits: (text: string) => Promise<boolean>): Promise<string> {
  const words = text.split(/(?<=\s)/);
  let [least, most] = [0, words.length];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (await fits(words.slice(0, middle).join(''))) least = middle;
    else most = middle - 1;
  }
  return words.slice(0, least).join('');
}

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
  if (format === 'structured')
    return withHeadings(proseWriter, user, tokenBudget, { material, fitted, countTokens });
  if (format !== 'narrative') return offline('Only the formats narrative and structured are worded.');
  const statements = narrativeOrder(material, fitted.statements).flatMap((thread) => thread.statements);
  if (statements.length === 0) return offline('There is nothing to tell.');
  const texts = statements.map(({ text }) => text);
  const prose = proseWriter.proseOf(user.id, texts);
  if ('reason' in prose) return offline(prose.reason);
  const sentences = prose.sentences.map((sentence) => ({
    text: textOfProse(sentence, texts),
    statements: sentence.statements.map((index) => statements[index]),
  }));
  const { text } = renderDigest(material, fitted.statements, format, { sentences });
  return countTokens(text) <= tokenBudget
    ? { text, prose: { by: 'llm' } }
    : offline('The prose of the LLM is longer than the token budget.');
}

/** The digest with headings of the LLM for the groups that have one. */
function withHeadings(
  proseWriter: ProseWriter,
  user: UserRef,
  tokenBudget: number,
  { material, fitted, countTokens }: Written,
): Worded {
  const offline = (reason: string): Worded => ({ text: fitted.text, prose: { by: 'offline', reason } });
  const groups = groupByMatter(material, fitted.statements).filter(({ title }) => title !== undefined);
  if (groups.length === 0) return offline('The digest has no groups with headings.');
  const texts = groups.map(({ statements }) => statements.map(({ text }) => text));
  const named = proseWriter.headingsOf(user.id, texts);
  if ('reason' in named) return offline(named.reason);
  const headings = new Map(
    named.headings.map(({ group, sentence }) => [groups[group].title, textOfProse(sentence, texts.flat())]),
  );
  const { text } = renderDigest(material, fitted.statements, 'structured', { headings });
  return countTokens(text) <= tokenBudget
    ? { text, prose: { by: 'llm' } }
    : offline('With the headings of the LLM it is longer than the token budget.');
}
