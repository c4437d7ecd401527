import { topicWords } from '../../domain/topics/topic.ts';
import type { ShortTexts } from '../../search-index/vectors/short-texts.ts';

const innerCapital = /([\p{Ll}\p{N}])(\p{Lu})/gu;
/** Marks that are part of a name: C++, C#, .NET. */
const namingMarks = [
  [/(?<=[\p{L}\p{N}])\+\+/gu, 'plus plus'],
  [/(?<=[\p{L}\p{N}])#/gu, 'sharp'],
  [/(?<![\p{L}\p{N}])\.(?=\p{L})/gu, 'dot'],
] as const;
const otherLetter = /(?!\p{Script=Latin})\p{L}/u;
/** Maximum similarity of two different names: merge suggestions take 1 as the same. */
const differentMax = 0.99;

/** A name as separate words: `rateLimiting` is two. */
export function readable(name: string): string {
  return name.replace(innerCapital, '$1 $2');
}

/** Whether the model can compare the name: for other letters than Latin its vectors are noise. */
export function speaksLatin(name: string): boolean {
  return !otherLetter.test(name);
}

function withMarksNamed(name: string, glue: string): string {
  let named = readable(name);
  for (const [mark, word] of namingMarks) {
    const spoken = glue === '' ? word.replaceAll(' ', '') : ` ${word} `;
    named = named.replace(mark, spoken);
  }
  return named.trim();
}

/** `c++` is one word, different from `c`. */
function wordsOf(name: string): string[] {
  return topicWords(withMarksNamed(name, ''));
}

/** Shared words divided by all words of the two names, 0-1. */
function sharedWords(a: ReadonlySet<string>, b: readonly string[]): number {
  const common = b.filter((word) => a.has(word)).length;
  return common / Math.max(1, a.size + b.length - common);
}

/**
 * Similarity of names of different topics, 0 to 0.99: semantic, or the share
 * of common words if that is higher, because a model does not know every name.
 */
export async function nameSimilarities(
  shortTexts: ShortTexts | undefined,
  name: string,
  others: readonly string[],
): Promise<number[]> {
  const spoken = (each: string) => withMarksNamed(each, ' ');
  const near = speaksLatin(name)
    ? await shortTexts?.similarities(spoken(name), others.map(spoken))
    : undefined;
  const own = new Set(wordsOf(name));
  return others.map((other, i) => {
    const bySimilarity = speaksLatin(other) ? (near?.[i] ?? 0) : 0;
    return Math.min(differentMax, Math.max(bySimilarity, sharedWords(own, wordsOf(other))));
  });
}
