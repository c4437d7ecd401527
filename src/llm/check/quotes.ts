import { sentencesOf } from '../../language/text/tokens.ts';

/** Position of a quote, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const special = /[\\^$.*+?()[\]{}|/]/g;
const wordSign = /[\p{L}\p{N}\p{M}_]/u;

/**
 * First position of a quote in a text, as whole words; characters must be equal except white space.
 * @param within part of the text to search
 */
export function findQuote(text: string, quote: string, within: Span = whole(text)): Span | undefined {
  const [span] = findQuotes(text, quote, within);
  return span;
}

/** All positions of a quote, in order. */
export function* findQuotes(text: string, quote: string, within: Span = whole(text)): Generator<Span> {
  const words = quote.trim().split(/\s+/);
  if (words[0] === '') return;
  const pattern = words.map((word) => word.replace(special, '\\$&')).join('\\s+');
  const before = wordSign.test(first(words[0])) ? '(?<![\\p{L}\\p{N}\\p{M}_])' : '';
  const after = wordSign.test(last(words[words.length - 1])) ? '(?![\\p{L}\\p{N}\\p{M}_])' : '';
  const places = new RegExp(`${before}${pattern}${after}`, 'gv');
  places.lastIndex = within.start;
  for (let found = places.exec(text); found; found = places.exec(text)) {
    const end = found.index + found[0].length;
    if (end > within.end) return;
    yield { start: found.index, end };
  }
}

export const contains = (outer: Span, inner: Span) => outer.start <= inner.start && inner.end <= outer.end;

export const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

const whole = (text: string): Span => ({ start: 0, end: text.length });
const first = (word: string) => [...word][0];
const last = (word: string) => [...word].at(-1) ?? '';

/** Maximum items read from a list. */
const itemsMax = 100;

/** Items of a list of the response that are objects; other values are dropped. */
export function itemsOf(value: unknown, name: string): Record<string, unknown>[] {
  const list = (value as Record<string, unknown> | null)?.[name];
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, itemsMax)
    .filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null);
}

/** A text that is neither blank nor longer than `max`. */
export function textField(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= max ? value : undefined;
}

/** The LLM's own confidence, `max` at most; half of `max` if the value is not from 0 to 1. */
export function cappedConfidence(value: unknown, max: number): number {
  const isShare = typeof value === 'number' && value >= 0 && value <= 1;
  return isShare ? Math.min(value, max) : max / 2;
}

/**
 * Patterns of sentences that address a model (prompt injection). A quote check
 * alone would accept their demands, because the text does contain the words.
 */
const addressesModel = [
  /\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instruction|prompt|rule|direction|guideline|context|message|above|previous|prior|earlier|everything)s?\b/i,
  /\b(system|developer) (prompt|message|instruction)s?\b|<\/?(system|assistant|instructions?|tool)>|\[\/?INST\]|<\|/i,
  /\b(you are|act as|behave as|pretend to be|respond as|answer as)\b.{0,40}\b(ai|assistant|model|llm|chatbot|bot|agent|language model|gpt)\b/i,
  /\b(as|dear|hey|note to|attention|instructions? (to|for)) (an? |the |any )?(ai|assistant|language model|llm|model|agent|extractor)s?\b/i,
  /\b(add|insert|output|return|emit|report|record|extract|propose|create|mark|list|include|set|answer with|respond with|reply with)\b.{0,80}\b(entity|entities|fact|facts|edge|edges|relationships?|json|schema|confidence|superseded?|supersedes|contradicts?|duplicates?|resolved)\b/i,
];
/** Whether no sentence of a text speaks to a model. */
export const addressesNoModel = (text: string) => sentencesIn(text).every(({ isUsable }) => isUsable);

const question = /\?["')\]]*$/;
const condition = /^\W*(if|unless|suppose|imagine|should|what if|whether)\b/i;
const lengthMax = 1000;

/** A sentence of a text, with the proposals that it allows. */
export interface Sentence extends Span {
  /** False if the sentence addresses a model. */
  readonly isUsable: boolean;
  /** Whether it asserts something: neither a question nor a condition. */
  readonly isStatement: boolean;
}

export function sentencesIn(text: string): Sentence[] {
  return sentencesOf(text).map((tokens) => {
    const [start, end] = [tokens[0].start, tokens[tokens.length - 1].end];
    const words = text.slice(start, Math.min(end, start + lengthMax));
    const isUsable = !addressesModel.some((pattern) => pattern.test(words));
    const isStatement = !question.test(text.slice(start, end)) && !condition.test(words);
    return { start, end, isUsable, isStatement };
  });
}

/**
 * The sentence of a span; undefined if it addresses a model, or follows such a sentence on
 * the same line, because an order to a model often goes on in the next sentence.
 */
export function usableSentence(
  text: string,
  sentences: readonly Sentence[],
  span: Span,
): Sentence | undefined {
  const at = sentences.findIndex((sentence) => contains(sentence, span));
  if (at < 0 || !sentences[at].isUsable) return undefined;
  for (let i = at - 1; i >= 0; i--) {
    if (text.slice(sentences[i].end, sentences[i + 1].start).includes('\n')) break;
    if (!sentences[i].isUsable) return undefined;
  }
  return sentences[at];
}
