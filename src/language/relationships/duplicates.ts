import { jaccard } from '../../lib/collections.ts';
import type { Lexicon } from '../models/word-lists.ts';
import { changedSlot, isWordSwapped } from './changed-statements.ts';
import { isSubstantial } from './content-words.ts';
import { fix, nowCue, strongChange } from './cues.ts';
import type { RelationshipFinding } from './finding.ts';
import { areEqual, evidenceOf, speakersDiffer, type TextView } from './text-view.ts';

const contentMin = 3;
const substantialMin = 2;
/** Least share of common words and least cosine for a duplicate. */
const near = [
  { words: 0.6, cosine: 0.85 },
  { words: 0.5, cosine: 0.9 },
] as const;

/** Shared words and cosine of a candidate. */
const likely = { words: 0.5, cosine: 0.75 } as const;

/** Finds the same statement in nearly the same words, with equal numbers, names and polarity. */
export function findDuplicate(
  lexicon: Lexicon,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (earlier.isQuestion || later.isQuestion || earlier.isNegated !== later.isNegated) return undefined;
  if (isNewsOf(fix, earlier, later) || isNewsOf(strongChange, earlier, later)) return undefined;
  if (isNewsOf(nowCue, earlier, later) && [...later.contentSet].some((stem) => !earlier.contentSet.has(stem)))
    return undefined;
  if (speakersDiffer(earlier, later) || !areEqual(earlier.numbers, later.numbers)) return undefined;
  if (Math.min(earlier.contentSet.size, later.contentSet.size) < contentMin) return undefined;
  const words = jaccard(earlier.contentSet, later.contentSet);
  const isNear =
    areEqual(earlier.contentSet, later.contentSet) ||
    near.some((bounds) => words >= bounds.words && cosine >= bounds.cosine);
  if (!isNear || namesDiffer(earlier, later) || !saysEnough(lexicon, earlier)) return undefined;
  if (isWordSwapped(changedSlot(earlier, later))) return undefined;
  return {
    type: 'DUPLICATES',
    confidence: Math.min(1, Math.max(0, cosine)),
    reason: `The same statement: ${Math.round(100 * words)} % of the words are shared, the similarity is ${cosine.toFixed(2)}.`,
    evidence: { earlier: evidenceOf(earlier), later: evidenceOf(later) },
  };
}

const isNewsOf = (cue: RegExp, earlier: TextView, later: TextView) =>
  cue.test(later.body) && !cue.test(earlier.body);

/** Whether each text names something that the other does not. */
function namesDiffer(earlier: TextView, later: TextView): boolean {
  const [a, b] = [earlier.text.toLowerCase(), later.text.toLowerCase()];
  const lacks = (names: ReadonlySet<string>, text: string) => [...names].some((name) => !text.includes(name));
  return lacks(earlier.names, b) && lacks(later.names, a);
}

/** Whether the text says more than greetings and farewells; the name of the addressee does not count. */
function saysEnough(lexicon: Lexicon, view: TextView): boolean {
  const spokenTo = new Set(
    view.speaker === undefined
      ? []
      : view.entities.filter(({ type }) => type === 'PERSON').map(({ text }) => text.toLowerCase()),
  );
  const substantial = [...view.contentSet].filter(
    (stem) => isSubstantial(lexicon, stem) && !spokenTo.has(stem),
  );
  return substantial.length >= substantialMin;
}

/** Two statements in similar words, for a person to confirm. */
export function likelyDuplicate(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const words = jaccard(earlier.contentSet, later.contentSet);
  const isNear = words >= likely.words && cosine >= likely.cosine;
  if (!isNear || Math.min(earlier.contentSet.size, later.contentSet.size) < contentMin) return undefined;
  if (earlier.isNegated !== later.isNegated || earlier.isQuestion || speakersDiffer(earlier, later))
    return undefined;
  if (!areEqual(earlier.numbers, later.numbers)) return undefined;
  return {
    type: 'DUPLICATES',
    confidence: 0.6,
    reason: `Perhaps the same statement: ${Math.round(100 * words)} % of the words are shared, the similarity is ${cosine.toFixed(2)}.`,
    evidence: { earlier: evidenceOf(earlier), later: evidenceOf(later) },
  };
}
