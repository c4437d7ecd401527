import type { SourceSpan } from './fact.ts';
import type { SentenceTree } from './sentence-tree.ts';

const point = /^(yesterday|today|tomorrow|tonight|now|currently)$/i;
const weekday = /^(mon|tues|wednes|thurs|fri|satur|sun)days?$/i;
const monthName = /^(January|February|March|April|June|July|August|September|October|November|December)$/;
const year = /^(19|20)\d\d$/;
const clock = /^\d{1,2}:\d\d$/;
const isoDate = /^\d{4}-\d\d-\d\d$/;
const unit =
  /^(week|month|year|day|morning|evening|night|weekend|spring|summer|autumn|fall|winter|quarter)s?$/i;
const relative = /^(last|next|this|past|coming|every)$/i;
const number = /^(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few)$/i;
const ago = /^ago$/i;
const hours = /^(am|pm|a\.m\.|p\.m\.)$/i;
/** Prepositions that are part of a time: `since May`. */
const before = /^(since|until|till|by|before|after|from)$/i;

/** Times in a sentence, as written; the caller resolves them, because it knows when the text was said. */
export function timesOf(tree: SentenceTree): SourceSpan[] {
  const { words, units } = tree;
  const spans: SourceSpan[] = [];
  for (let i = 0; i < words.length; ) {
    const length = units[i].isDate ? 1 : timeLength(words, i);
    if (length === 0) {
      i++;
      continue;
    }
    const first = i > 0 && before.test(words[i - 1]) ? i - 1 : i;
    spans.push(tree.spanOf({ first, last: i + length - 1 }));
    i += length;
  }
  return spans;
}

/** Number of words of the time that begins at `i`; 0 if none does. */
function timeLength(words: readonly string[], i: number): number {
  const [word, next, third] = [words[i], words[i + 1] ?? '', words[i + 2] ?? ''];
  if (relative.test(word) && (unit.test(next) || weekday.test(next) || monthName.test(next))) return 2;
  if (number.test(word) && unit.test(next) && ago.test(third)) return 3;
  if (monthName.test(word) && year.test(next)) return 2;
  if (clock.test(word) || isoDate.test(word) || year.test(word)) return hours.test(next) ? 2 : 1;
  if (number.test(word) && hours.test(next)) return 2;
  return point.test(word) || weekday.test(word) || monthName.test(word) ? 1 : 0;
}
