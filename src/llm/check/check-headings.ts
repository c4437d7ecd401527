import type { ProseSentence, WordOfStatement } from '../../domain/prose/prose-writer.ts';
import { isDeciding, letterCaseOf, lineEnd, type Word, wordsOf } from './check-prose.ts';
import { itemsOf, textField } from './quotes.ts';

const headingMax = 60;
const wordsMax = 6;
/** A word of the heading is in this many statements of its group. */
const sharedMin = 2;
const between = /^[\s,&–—-]*$/u;
/** Words that a heading may have although its statements do not. */
const joining: ReadonlySet<string> = new Set([
  'and',
  'of',
  'the',
  'for',
  'in',
  'to',
  'with',
  'on',
  'a',
  'an',
  'at',
]);

/** A heading of a group, as words of its statements, counted over all groups. */
export interface CheckedHeading {
  readonly group: number;
  readonly sentence: ProseSentence;
}

/**
 * The headings whose words are words of the statements of their group, one of them of at least two. None that negates or
 * doubts, and none that two groups have.
 *
 * @param response `{headings: [{group, heading}]}`, unchecked
 */
export function checkHeadings(
  groups: readonly (readonly string[])[],
  response: unknown,
): readonly CheckedHeading[] {
  const found = new Map<number, { readonly heading: CheckedHeading; readonly key: string }>();
  for (const { group, heading } of itemsOf(response, 'headings')) {
    const text = textField(heading, headingMax);
    if (typeof group !== 'number' || !(group in groups) || text === undefined || found.has(group)) continue;
    const sentence = sentenceOf(groups, group, text.trim());
    if (sentence) found.set(group, { heading: { group, sentence }, key: text.trim().toLowerCase() });
  }
  const all = [...found.values()];
  return all
    .filter(({ key }) => all.filter((other) => other.key === key).length === 1)
    .map(({ heading }) => heading);
}

function sentenceOf(
  groups: readonly (readonly string[])[],
  group: number,
  text: string,
): ProseSentence | undefined {
  const words = wordsOf(text);
  if (words.length === 0 || words.length > wordsMax || lineEnd.test(text)) return undefined;
  const first = groups.slice(0, group).reduce((sum, { length }) => sum + length, 0);
  const sources = groups[group].map(wordsOf);
  const parts: (string | WordOfStatement)[] = [];
  let at = 0;
  let isShared = false;
  for (const word of words) {
    const gap = text.slice(at, word.start);
    if (!between.test(gap) || isDeciding(word.folded)) return undefined;
    if (gap !== '') parts.push(gap);
    at = word.end;
    const having = sources.map((source) => source.find(isSame(word)));
    const statement = having.findIndex((same) => same !== undefined);
    const same = having[statement];
    if (same) {
      const { start, end } = same;
      parts.push({
        statement: first + statement,
        start,
        end,
        ending: '',
        letterCase: letterCaseOf(word.text, same.text),
      });
      const shares = having.filter((one) => one !== undefined).length >= Math.min(sharedMin, sources.length);
      isShared ||= shares && !joining.has(word.folded);
    } else if (joining.has(word.text)) parts.push(word.text);
    else return undefined;
  }
  if (!isShared || at !== text.length) return undefined;
  const used = new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.statement])));
  return { statements: [...used], parts };
}

/** Whether two words differ in the case of their first letter at most. */
const isSame = ({ text }: Word) => {
  const rest = text.slice(1);
  return (other: Word) =>
    other.text.slice(1) === rest && other.text[0].toLowerCase() === text[0].toLowerCase();
};
