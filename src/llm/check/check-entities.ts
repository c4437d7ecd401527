import { entityTypes } from '../../domain/entities/entity.ts';
import type { EntityType } from '../../language/entities/entity.ts';
import { cappedConfidence, itemsOf, textField } from './fields.ts';
import { findQuotes, overlap, type Span } from './quotes.ts';
import { type Sentence, usableSentence } from './usable-sentences.ts';

/** A name that an LLM proposes and that stands in the text. */
export interface ProposedEntity extends Span {
  readonly type: EntityType;
  readonly confidence: number;
}

/** Below `certainEntity`: a name is not known in all texts of a user because an LLM says so. */
const entityConfidenceMax = 0.7;
const nameLengthMax = 80;
const nameWordsMax = 6;
const hasLetter = /\p{L}/u;
const noName =
  /^(i|me|my|you|your|he|him|his|she|her|it|its|we|us|our|they|them|their|this|that|these|those|here|there|who|what|someone|everyone|today|tomorrow|yesterday|now)$/i;

/** @returns those of which the name stands in the text and the type is one of ours, each name once */
export function checkEntities(
  text: string,
  sentences: readonly Sentence[],
  response: unknown,
): ProposedEntity[] {
  const found: ProposedEntity[] = [];
  for (const item of itemsOf(response, 'entities')) {
    const name = textField(item.name, nameLengthMax);
    const type = entityTypes.find((known) => known === item.type);
    if (name === undefined || !type || !isName(name)) continue;
    const place = placeOf(text, sentences, name);
    if (!place || found.some((other) => overlap(other, place))) continue;
    found.push({ ...place, type, confidence: cappedConfidence(item.confidence, entityConfidenceMax) });
  }
  return found.sort((a, b) => a.start - b.start);
}

const isName = (name: string) =>
  hasLetter.test(name) && !noName.test(name.trim()) && name.trim().split(/\s+/).length <= nameWordsMax;

function placeOf(text: string, sentences: readonly Sentence[], name: string): Span | undefined {
  for (const span of findQuotes(text, name)) if (usableSentence(text, sentences, span)) return span;
  return undefined;
}
