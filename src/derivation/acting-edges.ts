import type { RelationshipEvidence } from '../domain/relationships/relationship.ts';
import { toContent } from '../language/relationships/content-words.ts';
import { tokensOf } from '../language/text/tokens.ts';
import type { ProposedTextRelationship } from '../llm/check/check-proposals.ts';
import { type Span, sentencesIn } from '../llm/check/quotes.ts';

/** Content words that both texts need, so that one of them changes the state of the other. */
const saidMin = 5;
/** Content words of the earlier text that the later one may leave out and still replace all of it. */
const leftMax = 1;
/** Content words of each quote: fewer show nothing. */
const quotedMin = 2;
/** An LLM that finds more relationships of one memory judged nothing. */
const actingMax = 2;
/** The own confidence of the LLM, capped at .6, below which a relationship stays a candidate. */
const confidenceMin = 0.5;

/** Two texts of a proposed relationship, and the subjects of their facts. */
export interface ProposedPair {
  readonly earlier: string;
  readonly later: string;
  readonly earlierSubjects: ReadonlySet<string>;
  readonly laterSubjects: ReadonlySet<string>;
}

/** Those of an answer's relationships that act: not more than two, each of a pair with a shared subject. */
export function actingOf(
  edges: readonly ProposedTextRelationship[],
  pairOf: (edge: ProposedTextRelationship) => ProposedPair,
): ReadonlySet<ProposedTextRelationship> {
  const acting = edges.filter((edge) => mayAct(edge, pairOf(edge)));
  return new Set(acting.length > actingMax ? [] : acting);
}

function mayAct({ confidence, evidence }: ProposedTextRelationship, pair: ProposedPair): boolean {
  if (confidence < confidenceMin) return false;
  const { earlier, later, earlierSubjects, laterSubjects } = pair;
  // A text that addresses a model may have told it to.
  if ([earlier, later].some((text) => sentencesIn(text).some(({ isUsable }) => !isUsable))) return false;
  if (isUnreal.test(sentenceOf(later, evidence.later))) return false;
  const [was, is] = [wordsIn(earlier, evidence.earlier), wordsIn(later, evidence.later)];
  if (Math.min(was.size, is.size) < quotedMin) return false;
  return overlaps(was, is) || overlaps(earlierSubjects, laterSubjects);
}

/**
 * Marks evidence from which nothing follows for the state of the earlier memory as a whole: it says more than was
 * replaced, or one of the texts is too short.
 */
export function withinPair(
  evidence: RelationshipEvidence,
  { earlier, later }: Pick<ProposedPair, 'earlier' | 'later'>,
): RelationshipEvidence {
  const [, start, end] = evidence.earlier;
  const said = wordsIn(later);
  const others = [...wordsIn(`${earlier.slice(0, start)} ${earlier.slice(end)}`)];
  const isShort = Math.min(wordsIn(earlier).size, said.size) < saidMin;
  const isWhole = others.filter((word) => !said.has(word)).length <= leftMax;
  return isShort || !isWhole ? { ...evidence, keepsState: true } : evidence;
}

/** Wishes, plans and doubts change nothing yet. */
const isUnreal =
  /\b(?:still|waiting|wait|plans?|planned|will|wants?|hopes?|hoping|might|may|maybe|perhaps|try|tries|trying|should|needs?|going to|would|could|asked|not)\b|n['’]t\b/iu;

function sentenceOf(text: string, place: Span): string {
  const own = sentencesIn(text).filter(({ start, end }) => start < place.end && place.start < end);
  return own.map(({ start, end }) => text.slice(start, end)).join(' ');
}

const wordsIn = (text: string, { start, end }: Span = { start: 0, end: text.length }): Set<string> =>
  new Set(tokensOf(text.slice(start, end)).flatMap(({ word }) => toContent(word)));

function overlaps(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of a) if (b.has(one)) return true;
  return false;
}
