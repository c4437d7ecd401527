import { entityTypes } from '../../domain/entities/entity.ts';
import type { EntityType } from '../../language/entities/entity.ts';
import {
  type DerivedRelationshipType,
  derivedRelationshipTypes,
} from '../../language/relationships/finding.ts';
import { speakerOf } from '../../language/text/speaker.ts';
import {
  cappedConfidence,
  contains,
  findQuote,
  findQuotes,
  itemsOf,
  overlap,
  type Sentence,
  type Span,
  sentencesIn,
  textField,
  usableSentence,
} from './quotes.ts';

/** A name that an LLM proposes and that the text contains. */
export interface ProposedEntity extends Span {
  readonly type: EntityType;
  readonly confidence: number;
}

/** Below `certainEntity`, so that an LLM alone cannot make a name known in all texts of a user. */
const entityConfidenceMax = 0.7;
const nameLengthMax = 80;
const nameWordsMax = 6;
const hasLetter = /\p{L}/u;
const noName =
  /^(i|me|my|you|your|he|him|his|she|her|it|its|we|us|our|they|them|their|this|that|these|those|here|there|who|what|someone|everyone|today|tomorrow|yesterday|now)$/i;

/** Proposed entities with a known type and a name that the text contains, each name once, in order. */
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
    const place = findUsableName(text, sentences, name);
    if (!place || found.some((other) => overlap(other, place))) continue;
    found.push({ ...place, type, confidence: cappedConfidence(item.confidence, entityConfidenceMax) });
  }
  return found.sort((a, b) => a.start - b.start);
}

const isName = (name: string) =>
  hasLetter.test(name) && !noName.test(name.trim()) && name.trim().split(/\s+/).length <= nameWordsMax;

function findUsableName(text: string, sentences: readonly Sentence[], name: string): Span | undefined {
  for (const span of findQuotes(text, name)) if (usableSentence(text, sentences, span)) return span;
  return undefined;
}

/** A statement that an LLM proposes and whose words the text contains. */
export interface ProposedFact {
  /** The clause that states the fact. */
  readonly quote: Span;
  readonly subject: Span;
  /** Whether the subject is the speaker. */
  readonly isSelf: boolean;
  /** Words of the quote, in its order. */
  readonly predicate: string;
  /** First word of the predicate. */
  readonly verb: Span;
  readonly object: Span;
  readonly isNegated: boolean;
  readonly confidence: number;
}

/**
 * Maximum confidence by the check: as high as a plain fact of the rules if the words of the clause stand in the order
 * subject, predicate, object, which misreadings seldom have.
 */
const factConfidenceMax = { inOrder: 0.85, else: 0.7 } as const;
const [quoteMax, subjectMax, predicateMax, objectMax] = [400, 100, 60, 200];
const predicateWordsMax = 5;
const negation = /\b(not|no longer|never|none|nobody|without|cannot|used to|any ?more)\b|n['’]t\b/i;
const self = /^(i|me)$/i;
const pronoun =
  /^(i|me|you|he|him|she|her|it|we|us|they|them|this|that|these|those|there|here|who|which|what|one)$/i;

/**
 * Proposed facts whose words all occur in one sentence of the
 * text that asserts something, without repetitions.
 */
export function checkFacts(text: string, sentences: readonly Sentence[], response: unknown): ProposedFact[] {
  const facts: ProposedFact[] = [];
  for (const item of itemsOf(response, 'facts')) {
    const fact = factOf(text, sentences, item);
    if (fact && !facts.some((other) => isSame(other, fact))) facts.push(fact);
  }
  return facts;
}

const isSame = (a: ProposedFact, b: ProposedFact) =>
  a.subject.start === b.subject.start && overlap(a.object, b.object) && a.verb.start === b.verb.start;

/** Fields of a proposed fact, each of the right type and length. */
interface Said {
  readonly quote: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly isNegated: boolean;
}

function saidBy(item: Readonly<Record<string, unknown>>): Said | undefined {
  const quote = textField(item.quote, quoteMax);
  const subject = textField(item.subject, subjectMax);
  const predicate = textField(item.predicate, predicateMax);
  const object = textField(item.object, objectMax);
  if (!quote || !subject || !predicate || !object || typeof item.negated !== 'boolean') return undefined;
  return { quote, subject, predicate, object, isNegated: item.negated };
}

function factOf(
  text: string,
  sentences: readonly Sentence[],
  item: Readonly<Record<string, unknown>>,
): ProposedFact | undefined {
  const said = saidBy(item);
  if (!said || pronoun.test(said.object.trim())) return undefined;
  for (const quote of findQuotes(text, said.quote)) {
    const isStatement = usableSentence(text, sentences, quote)?.isStatement;
    const isNegated = negation.test(text.slice(quote.start, quote.end));
    const words = isStatement && isNegated === said.isNegated && wordsIn(text, quote, said);
    if (words) {
      const confidence = cappedConfidence(
        item.confidence,
        factConfidenceMax[isInOrder(words) ? 'inOrder' : 'else'],
      );
      return { ...words, quote, isNegated, confidence };
    }
  }
  return undefined;
}

const isInOrder = ({ subject, verb, object }: Pick<ProposedFact, 'subject' | 'verb' | 'object'>) =>
  subject.end <= verb.start && verb.end <= object.start;

/** Positions of subject, predicate and object in the clause; they do not overlap. */
function wordsIn(
  text: string,
  quote: Span,
  said: Said,
): Pick<ProposedFact, 'subject' | 'isSelf' | 'predicate' | 'verb' | 'object'> | undefined {
  const subject = subjectIn(text, quote, said.subject);
  const verbs = subject && predicateIn(text, quote, said.predicate);
  if (!subject || !verbs) return undefined;
  const taken = [subject.span, ...verbs];
  const object = [...findQuotes(text, said.object, quote)].find((place) =>
    taken.every((other) => !overlap(place, other)),
  );
  if (!object) return undefined;
  const predicate = verbs.map(({ start, end }) => text.slice(start, end)).join(' ');
  return { subject: subject.span, isSelf: subject.isSelf, predicate, verb: verbs[0], object };
}

interface Subject {
  readonly span: Span;
  readonly isSelf: boolean;
}

/**
 * The subject in the quote. "I" and the speaker's own name are the speaker, if the
 * clause says "I". No other pronoun is a subject, because its referent is unknown.
 */
function subjectIn(text: string, quote: Span, subject: string): Subject | undefined {
  const speaker = speakerOf(text);
  const span = speaker && { start: 0, end: speaker.nameEnd };
  const isSpeaker = span !== undefined && (self.test(subject.trim()) || subject.trim() === speaker?.name);
  const saysSelf = findQuote(text, 'I', quote) ?? findQuote(text, "I'm", quote);
  if (isSpeaker && saysSelf) return speaker?.isRole ? undefined : { span, isSelf: true };
  if (pronoun.test(subject.trim())) return undefined;
  const place = findQuote(text, subject, quote);
  return place && { span: place, isSelf: false };
}

/** Positions of the words of a predicate, all in the quote and in order. */
function predicateIn(text: string, quote: Span, predicate: string): Span[] | undefined {
  const words = predicate.trim().split(/\s+/);
  if (words.length > predicateWordsMax) return undefined;
  const places: Span[] = [];
  let from = quote.start;
  for (const word of words) {
    const place = findQuote(text, word, { start: from, end: quote.end });
    if (!place || !contains(quote, place)) return undefined;
    places.push(place);
    from = place.end;
  }
  return places;
}

/** A relationship that an LLM proposes, with its evidence in both texts. */
export interface ProposedTextRelationship {
  /** Index of the earlier text. */
  readonly earlier: number;
  readonly type: DerivedRelationshipType;
  /** Below `automaticRelationshipMin`, so the relationship is always a candidate. */
  readonly confidence: number;
  readonly evidence: { readonly earlier: Span; readonly later: Span };
}

const proposedConfidenceMax = 0.6;
const [evidenceMin, evidenceMax] = [3, 400];

/** Proposed relationships whose quotes are in both texts; one per earlier text at most. */
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
      earlier: findEvidence(source, item.earlierQuote),
      later: findEvidence(later, item.laterQuote),
    };
    if (!evidence.earlier || !evidence.later) continue;
    const confidence = cappedConfidence(item.confidence, proposedConfidenceMax);
    const { earlier: was, later: is } = evidence;
    edges.set(index, { earlier: index, type, confidence, evidence: { earlier: was, later: is } });
  }
  return [...edges.values()];
}

/** First position of the quote in a sentence that asserts something and does not address a model. */
function findEvidence(text: string, quote: unknown): Span | undefined {
  const words = textField(quote, evidenceMax);
  if (words === undefined || words.trim().length < evidenceMin) return undefined;
  const sentences = sentencesIn(text);
  for (const span of findQuotes(text, words))
    if (usableSentence(text, sentences, span)?.isStatement) return span;
  return undefined;
}
