import type { EntityMention } from '../entities/entity.ts';
import type { Token } from '../text/token.ts';

/** A word of a sentence for the parser: a token, or several that are one name or date. */
export interface Unit {
  /** Word for the parser; one word of a name or date. */
  readonly word: string;
  /** As written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it is an entity, a date or a name with a number; tagged as a proper noun. */
  readonly isName: boolean;
  readonly isDate: boolean;
}

const month =
  /^(Jan(uary)?|Feb(ruary)?|Mar(ch)?|Apr(il)?|May|June?|July?|Aug(ust)?|Sept?(ember)?|Oct(ober)?|Nov(ember)?|Dec(ember)?)$/;
const day = /^\d{1,2}(st|nd|rd|th)?$/;
const dayOrYear = /^\d{1,4}(st|nd|rd|th)?$/;
const year = /^\d{4}$/;
const version = /^v?\d+(\.\d+)*$/;
const capitalised = /^\p{Lu}[\w.+#-]*$/u;
const hyphenated = /^[a-z]+\w*(-\w+)+$/;
const startWord = /^(The|In|At|By|On|Since|For|With|From|About|Only|These|Those|All|We|I)$/;
const preposition = /^(In|At|By|On|Since|For|Only|And|But|About)$/;
/** A proper noun that the parser knows, in place of an unknown name. */
const knownNoun = 'Node';

/**
 * Units of a sentence. An entity, a date ("3 March 2026") and a name with a number ("Node 22") are one unit
 * each.
 */
export function unitsOf(text: string, tokens: readonly Token[], entities: readonly EntityMention[]): Unit[] {
  return joinNumbers(text, joinEntities(text, tokens, entities));
}

function joinEntities(text: string, tokens: readonly Token[], entities: readonly EntityMention[]): Unit[] {
  const units: Unit[] = [];
  for (let i = 0; i < tokens.length; ) {
    const { word, start, end } = tokens[i];
    const entity = entities.find((found) => start >= found.start && start < found.end);
    let last = i;
    while (entity && last + 1 < tokens.length && tokens[last + 1].start < entity.end) last++;
    const to = entity ? tokens[last].end : end;
    units.push({
      word: entity ? tokens[last].word : word,
      text: text.slice(start, to),
      start,
      end: to,
      isName: entity !== undefined,
      isDate: false,
    });
    i = last + 1;
  }
  return units;
}

function joinNumbers(text: string, units: readonly Unit[]): Unit[] {
  const joined: Unit[] = [];
  for (let i = 0; i < units.length; ) {
    const { count, word, isDate } = numberAt(units, i);
    if (count === 0 || i + count > units.length) joined.push(units[i++]);
    else {
      const [start, end] = [units[i].start, units[i + count - 1].end];
      joined.push({ word, text: text.slice(start, end), start, end, isName: true, isDate });
      i += count;
    }
  }
  return joined;
}

/** Number of units from `i` on that form one date or name with a number; 0 if none do. */
function numberAt(units: readonly Unit[], i: number): { count: number; word: string; isDate: boolean } {
  const at = (n: number) => units[i + n]?.text ?? '';
  const [first, second] = [at(0), at(1)];
  if (day.test(first) && month.test(second))
    return { count: year.test(at(2)) ? 3 : 2, word: second, isDate: true };
  if (month.test(first) && dayOrYear.test(second))
    return { count: at(2) === ',' && year.test(at(3)) ? 4 : 2, word: first, isDate: true };
  const none = { count: 0, word: '', isDate: false };
  if (!version.test(second)) return none;
  if (capitalised.test(first) && !preposition.test(first) && (i > 0 || !startWord.test(first)))
    return { count: 2, word: first, isDate: false };
  return hyphenated.test(first) ? { count: 2, word: knownNoun, isDate: false } : none;
}
