import type { ExtractedFact, SourceSpan } from '../facts/fact.ts';
import { lemmaOf } from '../facts/lemma.ts';
import { canonicalOf } from './content-words.ts';
import { changeVerb, noLonger, nowCue } from './cues.ts';
import type { DerivedRelationshipType, RelationshipFinding } from './finding.ts';
import { speakersDiffer, type TextView } from './text-view.ts';
import { areApart, isContrast } from './value-changes.ts';

/** Predicates that hold for one object at a time, as lemma and preposition. */
const functional =
  /^(live in|live at|work at|work for|reside in|base in|locate in|be based in|be located in|be|prefer|default to|expire after|expire on|close at|open at|start at|start on|begin at|begin on|end at|end on|end in|be at|be in|be on|run on|store in|keep in|save in|build with|copy to|cost|weigh|belong to|call|name|move to|use as|point to|report to)$/;
/** Objects that are one of many, so that two subjects may have them. */
const oneOfMany = /^(an?|some|any|one|two|three|several|many|few|such|another|\d+)\s/i;
/** Predicates that hold for one subject at a time. */
const exclusive = /^(own|lead|manage|maintain)$/;
const place =
  /^(?:live|keep|store|save|be|be located|be based|reside|hang|lie|sit|stand) (?:in|at|on|with|under|behind)$|^move to$/;
const arrival = /^(move to|relocate to|migrate to|go to|keep in|store in|save in)$/;
const presence = /^be (in|at|on|with|under|behind)$/;
const adverb = /\b(not|never|no longer|longer|now|also|currently)\b/g;
const passiveVerb = /(ed|en|kept|held|built|sent|run|set|put)$/;
const article = /^(the|a|an|my|our|new|my new|the new)\s+/g;
const nowWords = /\b(now|new|since .{0,200}|from now on|these days)\b/g;
const otherSigns = /[^\p{L}\p{N} .:-]/gu;
const tail = /\b(with|without|for|in|on|per|excluding|including|before|after)\b.*$/i;
const indefinite = /^(a|an|such|one of)\s/i;
const ownIndefinite = /^(a|an|such|my|one of)\s/i;
const possessive = /^(the|my|our|his|her|their|your)\s/i;
const namedSubject = /^(the|my|our|\p{Lu})/iu;
const adverbial = /^(the|my|our) \w+ly\b/i;
const preferredWordsMax = 3;
/** The predicate has another object now, but it is not certain that it can have only one. */
const candidateConfidence = 0.5;

/** A fact, normalised for comparison. */
interface Plain {
  readonly fact: ExtractedFact;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/**
 * Finds the first sure statement of the later text that negates or replaces one of the earlier text; else a
 * candidate.
 */
export function findFactChange(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  const [before, after] = [earlier, later].map(({ facts }) =>
    facts.filter(({ basis }) => basis === 'direct').map(toPlain),
  );
  let candidate: RelationshipFinding | undefined;
  for (const was of before)
    for (const is of after) {
      const change = changeOf(was, is, earlier, later);
      if (change && change.confidence > candidateConfidence) return change;
      candidate ??= change;
    }
  return candidate;
}

function changeOf(
  was: Plain,
  is: Plain,
  earlier: TextView,
  later: TextView,
): RelationshipFinding | undefined {
  const sameSubject = was.subject === is.subject || isShorter(was, is, later);
  const samePredicate = was.predicate === is.predicate;
  const sameObject = was.object === is.object;
  if (sameSubject && samePredicate && sameObject && was.fact.isNegated !== is.fact.isNegated) {
    const type = noLonger.test(later.body) ? 'SUPERSEDES' : 'CONTRADICTS';
    return finding(type, 0.95, was, is, 'The same statement, affirmed in one and negated in the other');
  }
  if (was.fact.isNegated || is.fact.isNegated || sameSubject === sameObject) return undefined;
  if (sameSubject) return otherObject(was, is, earlier, later);
  return samePredicate && exclusive.test(was.predicate) && !oneOfMany.test(is.fact.object.text)
    ? finding('SUPERSEDES', 0.9, was, is, 'Somebody else holds it')
    : undefined;
}

/** Whether the same subject has another object by a predicate that holds for one at a time. */
function otherObject(
  was: Plain,
  is: Plain,
  earlier: TextView,
  later: TextView,
): RelationshipFinding | undefined {
  if (areApart(earlier, later, was.fact.object, is.fact.object)) return undefined;
  const isFunctional = was.predicate === is.predicate && functional.test(was.predicate);
  if (!isFunctional && !isOtherPlace(was, is, later)) return undefined;
  const isSure =
    isOtherValue(was, is) && (was.predicate !== 'be' || isOtherIdentity(was, is, earlier, later));
  const isLike = was.predicate !== 'prefer' || isSameKind(was, is, earlier, later);
  const confidence = isSure && isLike ? 0.92 : candidateConfidence;
  return finding('SUPERSEDES', confidence, was, is, 'What held of the same subject is replaced');
}

/** Whether it is now somewhere else. */
const isOtherPlace = (was: Plain, is: Plain, later: TextView) =>
  place.test(was.predicate) &&
  (arrival.test(is.predicate) || (presence.test(is.predicate) && nowCue.test(later.body)));

/** Whether news of `avatars` are about `user avatars`, because no word tells them apart. */
function isShorter(was: Plain, is: Plain, later: TextView): boolean {
  if (!nowCue.test(later.body) && !changeVerb.test(later.body)) return false;
  const [a, b] = [was.subject.split(' '), is.subject.split(' ')];
  return (
    a.length > b.length &&
    a.at(-1) === b.at(-1) &&
    b.every((word) => a.includes(word)) &&
    !a.some((word) => !b.includes(word) && isContrast(word))
  );
}

/** False if one object only adds words to the other, or is limited in another way. */
function isOtherValue(was: Plain, is: Plain): boolean {
  if (/\b(was|were)\b/.test(was.fact.predicate)) return false;
  // A dorm is in a town.
  if (
    place.test(was.predicate) &&
    indefinite.test(is.fact.object.text) !== indefinite.test(was.fact.object.text)
  )
    return false;
  const [a, b] = [new Set(was.object.split(' ')), new Set(is.object.split(' '))];
  if ([...a].every((word) => b.has(word)) || [...b].every((word) => a.has(word))) return false;
  return (tail.exec(was.object)?.[0] ?? '') === (tail.exec(is.object)?.[0] ?? '');
}

/** Whether `X is Y` gives the one value of a definite or named thing, not an opinion or a kind. */
function isOtherIdentity(was: Plain, is: Plain, earlier: TextView, later: TextView): boolean {
  const { subject, object, predicate } = was.fact;
  if (was.fact.isState || is.fact.isState || /\bbe\b/.test(predicate)) return false;
  // A speaker is many things: "I'm a dancer", then "I'm lactose intolerant".
  if (was.fact.isSelf || is.fact.isSelf) return false;
  if (ownIndefinite.test(object.text) || indefinite.test(is.fact.object.text)) return false;
  if (!namedSubject.test(subject.text) || adverbial.test(object.text)) return false;
  const isNamed = earlier.entities.some(({ text }) => subject.text.includes(text));
  return (possessive.test(subject.text) || isNamed) && !speakersDiffer(earlier, later);
}

/** Whether both objects are short and have the same entity type. */
function isSameKind(was: Plain, is: Plain, earlier: TextView, later: TextView): boolean {
  const typeOf = ({ entities }: TextView, { start }: SourceSpan) =>
    entities.find((entity) => entity.start === start)?.type;
  const isShort = [was, is].every(({ object }) => object.split(' ').length <= preferredWordsMax);
  return isShort && typeOf(earlier, was.fact.object) === typeOf(later, is.fact.object);
}

function finding(
  type: DerivedRelationshipType,
  confidence: number,
  was: Plain,
  is: Plain,
  reason: string,
): RelationshipFinding {
  const say = ({ subject, predicate, object }: ExtractedFact) =>
    `${subject.text} ${predicate} ${object.text}`;
  return {
    type,
    confidence,
    reason: `${reason}: "${say(was.fact)}", then "${say(is.fact)}".`,
    evidence: { earlier: was.fact.object, later: is.fact.object },
  };
}

const toPlain = (fact: ExtractedFact): Plain => ({
  fact,
  subject: plainText(fact.subject.text),
  predicate: plainPredicate(fact.predicate),
  object: plainText(fact.object.text),
});

const plainText = (text: string) =>
  text
    .toLowerCase()
    .replace(article, '')
    .replace(nowWords, '')
    .replace(otherSigns, '')
    .trim()
    .split(/\s+/)
    .map(canonicalOf)
    .join(' ');

/** `is stored in` is `store in`, `has moved to` is `move to`. */
function plainPredicate(predicate: string): string {
  const words = predicate.toLowerCase().replace(adverb, '').trim().split(/\s+/).map(lemmaOf);
  if (words[0] === 'have' && words.length > 1 && words[1] !== 'be') words.shift();
  const isPassive = words[0] === 'be' && words.length > 1 && passiveVerb.test(predicate.split(' ')[1] ?? '');
  return (isPassive ? words.slice(1) : words).join(' ');
}
