import type { ProseSentence, WordOfStatement } from '../../domain/prose/prose-writer.ts';
import { speakerOf } from '../../language/text/speaker.ts';
import { foldName } from '../../lib/names.ts';
import { itemsOf, sentencesIn, textField } from './quotes.ts';

const sentencesMax = 40;
const sentenceMax = 400;
const statementsOfSentenceMax = 3;
const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’.\-_/][\p{L}\p{N}\p{M}]+)*/gu;
/**
 * Characters between words: no brackets, which would look like the number of a source, and no line breaks.
 */
const between = /^[\s,;:.!"'’“”()–—-]*$/u;
export const lineEnd = /[\r\n\u2028\u2029]/;
/** Endings that may be exchanged: number, person and gerund, but not tense. */
const endings = ['', 'e', 'y', 's', 'es', 'ies', 'ing'] as const;
const stemMin = 3;
/**
 * Capitalised, the month rather than the modal, which is
 * capitalised only in questions; those are never shown.
 */
const month = 'May';

export interface Word {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly folded: string;
}

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    text: word,
    folded: foldName(word),
  }));
}

/**
 * Whether a statement may be shown to an LLM: no question, no condition, and no text that addresses a model.
 */
export function mayBeShown(statement: string): boolean {
  return sentencesIn(statement).every(({ isUsable, isStatement }) => isUsable && isStatement);
}

/**
 * Sentences of a response that add nothing to their statements. A sentence shortens its statements, in
 * order: all of its words except connecting ones are words of the statements, in the same order. It has
 * the name of each speaker, the first word that each speaker says, and exactly those words of the
 * statements that negate, doubt or report. A statement may be used in one sentence only.
 *
 * @param response `{sentences: [{text, statements}]}`, unchecked
 */
export function checkProse(statements: readonly string[], response: unknown): ProseSentence[] {
  const taken = new Set<number>();
  const sentences: ProseSentence[] = [];
  for (const item of itemsOf(response, 'sentences').slice(0, sentencesMax)) {
    const sentence = sentenceOf(statements, item);
    if (!sentence || sentence.statements.some((index) => taken.has(index))) continue;
    for (const index of sentence.statements) taken.add(index);
    sentences.push(sentence);
  }
  return sentences;
}

function sentenceOf(
  statements: readonly string[],
  { text, statements: named }: Readonly<Record<string, unknown>>,
): ProseSentence | undefined {
  const sentence = textField(text, sentenceMax)?.trim();
  const indices = indicesOf(named, statements.length);
  if (!sentence || !indices || lineEnd.test(sentence) || speakerOf(sentence)) return undefined;
  const sources = sourcesOf(statements, indices);
  const words = wordsOf(sentence);
  const places = placesOf(words, sources);
  if (!places || !hasWhatDecides(words, sources) || !hasBeginnings(places, sources)) return undefined;
  const parts = partsOf(sentence, words, places);
  return parts && { statements: indices, parts };
}

function indicesOf(value: unknown, count: number): number[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > statementsOfSentenceMax) return undefined;
  const isIndex = (one: unknown): one is number =>
    Number.isInteger(one) && 0 <= Number(one) && Number(one) < count;
  return value.every(isIndex) && new Set(value).size === value.length ? value : undefined;
}

interface Source {
  readonly index: number;
  readonly words: readonly Word[];
  /** Sets of words; the sentence needs one word of each: of the speaker's name, and the first word spoken. */
  readonly needed: readonly (readonly Word[])[];
}

function sourcesOf(statements: readonly string[], indices: readonly number[]): Source[] {
  let before: string | undefined;
  return indices.map((index) => {
    const text = statements[index];
    const words = wordsOf(text);
    const speaker = speakerOf(text);
    const [name, said] = [
      words.filter(({ end }) => speaker !== undefined && end <= speaker.nameEnd),
      words.filter(({ start }) => start >= (speaker?.bodyStart ?? 0)),
    ];
    const first = said.find(({ folded }) => !connectingWords.has(folded));
    const isSameSpeaker = speaker !== undefined && speaker.name === before;
    before = speaker?.name;
    const needed = [...(speaker && !isSameSpeaker ? [name] : []), ...(first ? [[first]] : [])];
    return { index, words, needed };
  });
}

/**
 * The word of a statement for each word of a sentence; undefined for a
 * connecting word. Returns undefined if any other word is in no statement.
 */
function placesOf(words: readonly Word[], sources: readonly Source[]): (Place | undefined)[] | undefined {
  const all = sources.flatMap(({ index, words: own }) => own.map((word) => ({ statement: index, word })));
  const places: (Place | undefined)[] = [];
  let from = 0;
  for (const word of words) {
    const at = all.findIndex(
      (place, i) => i >= from && sharedStem(word.folded, place.word.folded) !== undefined,
    );
    // A connecting word is taken from the statement only if that skips no word.
    if (connectingWords.has(word.folded) && at !== from) places.push(undefined);
    else if (at < 0) return undefined;
    else {
      places.push(all[at]);
      from = at + 1;
    }
  }
  return places;
}

interface Place {
  readonly statement: number;
  readonly word: Word;
}

/** Length of the stem that two forms of a word share; undefined if they are different words. */
function sharedStem(a: string, b: string): number | undefined {
  if (a === b) return a.length;
  if (a.slice(0, stemMin) !== b.slice(0, stemMin)) return undefined;
  for (const one of endings)
    for (const other of endings) {
      if (one === other || !a.endsWith(one) || !b.endsWith(other)) continue;
      const stem = a.slice(0, a.length - one.length);
      if (stem.length >= stemMin && stem === b.slice(0, b.length - other.length) && !/\d/.test(stem))
        return stem.length;
    }
  return undefined;
}

function hasWhatDecides(words: readonly Word[], sources: readonly Source[]): boolean {
  const deciding = (all: readonly Word[]) =>
    all
      .filter(({ text, folded }) => text !== month && isDeciding(folded))
      .map(({ folded }) => folded)
      .sort()
      .join(' ');
  return deciding(words) === deciding(sources.flatMap(({ words: own }) => own));
}

function hasBeginnings(places: readonly (Place | undefined)[], sources: readonly Source[]): boolean {
  const used = new Set(places.map((place) => place?.word));
  return sources.every(({ needed }) => needed.every((some) => some.some((word) => used.has(word))));
}

function partsOf(
  sentence: string,
  words: readonly Word[],
  places: readonly (Place | undefined)[],
): (string | WordOfStatement)[] | undefined {
  const parts: (string | WordOfStatement)[] = [];
  let from = 0;
  for (const [i, word] of words.entries()) {
    const gap = sentence.slice(from, word.start);
    if (!between.test(gap)) return undefined;
    const place = places[i];
    parts.push(gap, place ? toPart(word, place) : word.text);
    from = word.end;
  }
  const rest = sentence.slice(from);
  if (!between.test(rest)) return undefined;
  return [...parts, /[.!]/.test(rest) ? rest : `${rest}.`].filter((part) => part !== '');
}

function toPart({ text, folded }: Word, { statement, word }: Place): WordOfStatement {
  // Folding keeps the length of most words; if it does not, the word stays as in the statement.
  const keepsLength = folded.length === text.length && word.folded.length === word.text.length;
  const stem = keepsLength ? (sharedStem(folded, word.folded) ?? word.text.length) : word.text.length;
  const ending = keepsLength ? text.slice(stem).toLowerCase() : '';
  const isWhole = folded === word.folded;
  return {
    statement,
    start: word.start,
    end: isWhole ? word.end : word.start + stem,
    ending: isWhole ? '' : ending,
    letterCase: letterCaseOf(text, word.text),
  };
}

export function letterCaseOf(requested: string, written: string): WordOfStatement['letterCase'] {
  if (requested[0] === written[0]) return 'asWritten';
  return requested[0] === requested[0].toUpperCase() ? 'upper' : 'lower';
}

/**
 * Words that a sentence may add to its statements: articles, pronouns, prepositions, auxiliaries and
 * conjunctions. None of them negates, doubts, permits, or states an order in time or a cause.
 */
export const connectingWords: ReadonlySet<string> = new Set(
  (
    'a an the and also both as who whom whose which that this these those it its he she they them him her his hers their ' +
    'theirs themselves himself herself itself i me my we us our you your is are was were be been being am has have had ' +
    'having do does did doing of to in on at for with from by about into where there here'
  ).split(' '),
);

/**
 * Words that change the truth of a statement: those that negate, doubt, wish,
 * plan, report or set a condition. A sentence has exactly those of its
 * statements, so that "he denied that" or "not" is neither lost nor added.
 */
const decidingWords: ReadonlySet<string> = new Set(
  (
    'not no none never nobody nothing neither nor without cannot hardly barely almost nearly only except might may maybe could ' +
    'would should will shall can must ought probably possibly perhaps likely unlikely plan plans planned planning want wants ' +
    'wanted hope hopes hoped hoping wish wishes wished think thinks thought believe believes believed guess guesses say says ' +
    'said tell tells told claim claims claimed deny denies denied doubt doubts suppose supposed pretend pretended dream ' +
    'dreamed dreamt imagine imagined ask asks asked offer offered promise promised refuse refused fail failed try tries tried ' +
    'trying consider considering considered used stop stopped quit longer anymore if unless until whether instead but though ' +
    'although however because despite'
  ).split(' '),
);
const shortened = /n['’]t$|['’](?:ll|d)$/;

/** @param word in lower case */
export const isDeciding = (word: string) => decidingWords.has(word) || shortened.test(word);
