import { chooseDiverse } from '../text/diversity.ts';
import { type CountTokens, hasTokens } from '../text/tokens.ts';
import type { DigestFormat, DigestMaterial, ScoredStatement } from './digest.ts';
import { renderDigest } from './render.ts';

/** Statements from which those of a digest are chosen. */
const choiceMax = 200;

export interface FittedDigest {
  readonly text: string;
  /** Those in it, best first. */
  readonly statements: readonly ScoredStatement[];
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
  const choice = await chooseDiverse(material.statements.slice(0, choiceMax), choiceMax);
  const textOf = (count: number) => renderDigest(material, choice.slice(0, count), format);
  const fits = (text: string) => hasTokens(countTokens, text, budget);
  let [least, most] = [0, choice.length];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (await fits(textOf(middle))) least = middle;
    else most = middle - 1;
  }
  const text = textOf(least);
  return { text: (await fits(text)) ? text : await cutTo(text, fits), statements: choice.slice(0, least) };
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
