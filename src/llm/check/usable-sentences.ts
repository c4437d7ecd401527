import { sentencesOf } from '../../language/text/sentences.ts';
import { contains, type Span } from './quotes.ts';

/**
 * Words of a text that speaks to a model rather than of the world. What such a sentence asks for stands in the text like
 * anything else, so quotes alone would let it through.
 */
const addressesModel = [
  /\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instruction|prompt|rule|direction|guideline|context|message|above|previous|prior|earlier|everything)s?\b/i,
  /\b(system|developer) (prompt|message|instruction)s?\b|<\/?(system|assistant|instructions?|tool)>|\[\/?INST\]|<\|/i,
  /\b(you are|act as|behave as|pretend to be|respond as|answer as)\b.{0,40}\b(ai|assistant|model|llm|chatbot|bot|agent|language model|gpt)\b/i,
  /\b(as|dear|hey|note to|attention|instructions? (to|for)) (an? |the |any )?(ai|assistant|language model|llm|model|agent|extractor)s?\b/i,
  /\b(add|insert|output|return|emit|report|record|extract|propose|create|mark|list|include|set|answer with|respond with|reply with)\b.{0,80}\b(entity|entities|fact|facts|edge|edges|relationships?|json|schema|confidence|superseded?|supersedes|contradicts?|duplicates?|resolved)\b/i,
];
const question = /\?["')\]]*$/;
const condition = /^\W*(if|unless|suppose|imagine|should|what if|whether)\b/i;
const lengthMax = 1000;

/** A sentence of a text, and what may be proposed from it. */
export interface Sentence extends Span {
  /** False where it speaks to a model. */
  readonly isUsable: boolean;
  /** Whether it states something: neither question nor condition. */
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
 * The sentence that a span is in. A text that speaks to a model goes on doing so until its line ends: what follows an
 * order is often what is ordered.
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
