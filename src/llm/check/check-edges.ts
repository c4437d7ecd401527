import type { DerivedRelationshipType } from '../../language/edges/edge.ts';
import { derivedRelationshipTypes } from '../../language/edges/edge.ts';
import { cappedConfidence, itemsOf, textField } from './fields.ts';
import { findQuotes, type Span } from './quotes.ts';
import { sentencesIn, usableSentence } from './usable-sentences.ts';

/** A relationship that an LLM proposes, with the words of both texts that show it. */
export interface ProposedTextRelationship {
  /** Index of the earlier text. */
  readonly earlier: number;
  readonly type: DerivedRelationshipType;
  /** Below `automaticRelationshipMin`: always a candidate. */
  readonly confidence: number;
  readonly evidence: { readonly earlier: Span; readonly later: Span };
}

const proposedConfidenceMax = 0.6;
const [quoteMin, quoteMax] = [3, 400];

/** @returns those whose quotes stand in both texts, one at most for each earlier text */
export function checkRelationships(
  later: string,
  earlier: readonly string[],
  response: unknown,
): ProposedTextRelationship[] {
  const edges = new Map<number, ProposedTextRelationship>();
  for (const item of itemsOf(response, 'edges')) {
    const index = item.earlier;
    if (typeof index !== 'number' || !Number.isInteger(index) || edges.has(index)) continue;
    const type = derivedRelationshipTypes.find((known) => known === item.type);
    const source = earlier[index];
    if (source === undefined || !type) continue;
    const evidence = {
      earlier: placeOf(source, item.earlierQuote),
      later: placeOf(later, item.laterQuote),
    };
    if (!evidence.earlier || !evidence.later) continue;
    const confidence = cappedConfidence(item.confidence, proposedConfidenceMax);
    const { earlier: was, later: is } = evidence;
    edges.set(index, { earlier: index, type, confidence, evidence: { earlier: was, later: is } });
  }
  return [...edges.values()];
}

/** The quote in a sentence that states something and does not speak to a model. */
function placeOf(text: string, quote: unknown): Span | undefined {
  const words = textField(quote, quoteMax);
  if (words === undefined || words.trim().length < quoteMin) return undefined;
  const sentences = sentencesIn(text);
  for (const span of findQuotes(text, words))
    if (usableSentence(text, sentences, span)?.isStatement) return span;
  return undefined;
}
