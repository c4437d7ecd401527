import type { EntityMention } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import type { Token } from '../text/tokens.ts';
import { lemmaOf } from './lemma.ts';

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

const capitalisedWord = /^\p{Lu}\p{Ll}+$/u;
const taggedOtherwise = /^(NN|JJ|VB|RB|NNPS|FW|UH)/;
/** Given names that are also words. */
const ambiguousName = /^(Will|May|Mark|Grant|Bill|Art|Drew|Rich|Chase|Hope|Joy|Faith|Grace)$/;
const determiner = /^(the|a|an|our|my)$/i;
const verbTag = /^VB[NDP]?$/;
const identifier = /[a-z][A-Z]|[._/]\w|\w-\w*\d|\(\)$|^[A-Z]+_[A-Z_]+$/;
const identifierMin = 4;
const finite = /^(VBZ|VBD|VBP|MD)$/;
const connector = /^(when|because|while|before|after|if|and|but|,|which|that|until|as|since|so)$/i;
const subjectTag = /^(NN|NNP|NNPS|CD|PRP|RB|CC|ADD|FW|-RRB-|,|XX|GW|NNS|JJ|UH|LS|SYM)$/;
const afterNoun = /^(of|and|or)$/;

/**
 * Corrects tags for the parser. Notes are terse and use the third person present ("the gym closes at ten"),
 * whose verbs the tagger, trained on other texts, takes for plural nouns.
 */
export function correctTags(
  model: LanguageModel,
  words: readonly string[],
  given: readonly string[],
): string[] {
  const tags = [...given];
  for (let i = 0; i < words.length; i++) {
    correctName(model, words, tags, i);
    correctAfterDeterminer(model, words, tags, i);
    if (words[i].length >= identifierMin && identifier.test(words[i]) && !tags[i].startsWith('VB'))
      tags[i] = 'NNP';
    correctNoLonger(model, words, tags, i);
  }
  for (let i = 1; i < words.length; i++) if (isVerbOfNote(model, words, tags, i)) tags[i] = 'VBZ';
  return tags;
}

const isVerb = ({ lexicon }: LanguageModel, word: string) => lexicon.verbs.has(lemmaOf(word));

function correctName({ names }: LanguageModel, words: readonly string[], tags: string[], i: number): void {
  if (i === words.length - 1 || !capitalisedWord.test(words[i]) || !taggedOtherwise.test(tags[i])) return;
  if (names.givenNames.has(words[i].toLowerCase()) && !ambiguousName.test(words[i])) tags[i] = 'NNP';
}

/** Tags `build fails` in `the build fails` as noun and verb. */
function correctAfterDeterminer(
  model: LanguageModel,
  words: readonly string[],
  tags: string[],
  i: number,
): void {
  const next = words[i + 1] ?? '';
  if (!determiner.test(words[i - 1] ?? '') || !verbTag.test(tags[i]) || !next.endsWith('s')) return;
  if (!isVerb(model, next)) return;
  tags[i] = 'NN';
  tags[i + 1] = 'VBZ';
}

function correctNoLonger(model: LanguageModel, words: readonly string[], tags: string[], i: number): void {
  if (!/^longer$/i.test(words[i]) || !/^no$/i.test(words[i - 1] ?? '')) return;
  tags[i - 1] = 'RB';
  tags[i] = 'RB';
  const next = words[i + 1] ?? '';
  if (tags[i + 1]?.startsWith('NN') && isVerb(model, next)) tags[i + 1] = next.endsWith('s') ? 'VBZ' : 'VBP';
}

/**
 * Whether a word tagged as a plural noun is the verb of its clause: its base form is a verb and the clause
 * has no other.
 */
function isVerbOfNote(
  model: LanguageModel,
  words: readonly string[],
  tags: readonly string[],
  i: number,
): boolean {
  const [word, next, before] = [words[i], words[i + 1], tags[i - 1]];
  if (tags[i] !== 'NNS' || !word.endsWith('s') || next === undefined || next === '.') return false;
  if (!isVerb(model, word) || afterNoun.test(next)) return false;
  if (!subjectTag.test(before) || (before === 'JJ' && i > 1)) return false;
  const isFiniteVerb = (tag: string) => finite.test(tag);
  if (before !== 'CC' && tags.slice(0, i).some(isFiniteVerb)) return false;
  return !tags.slice(i + 1).some(isFiniteVerb) || words.slice(i + 1).some((other) => connector.test(other));
}
