import { orderTime } from '../../domain/memories/memory.ts';
import { DAY_MS } from '../../domain/shared/time.ts';
import { speakerOf } from '../../language/text/speaker.ts';
import { Breather } from '../../lib/loop-time.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import type { DigestSource, ScoredStatement } from './digest.ts';

/** From this share of common terms on, two statements say the same, unless they differ in a number or a negation. */
const sameMin = 0.8;
/** A statement says all of a shorter one if it has this share of its terms; it may be this much longer. */
const [coveredMin, longerMax] = [0.95, 1.6];
const coveredTermsMin = 4;
const digit = /\d/;
const negation = /\b(?:not|no|never|none|nobody|nothing|without|cannot)\b|n['’]t\b/gi;

/**
 * Statements, each said once: one that says the same as an earlier (better) one is left out, and its source is added
 * to the other. Texts of events on different days stay apart.
 * @param statements best first
 */
export async function mergeStatements(
  statements: readonly ScoredStatement[],
  sources: readonly DigestSource[],
): Promise<ScoredStatement[]> {
  const breather = new Breather();
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  const kept: { statement: ScoredStatement; said: Said }[] = [];
  for (const statement of statements) {
    const pause = breather.pause();
    if (pause) await pause;
    const said = saidIn(statement);
    const same = kept.find(
      ({ statement: other, said: saidBefore }) =>
        other.source !== statement.source &&
        areSameEvent(byNumber.get(other.source), byNumber.get(statement.source)) &&
        saySame(saidBefore, said),
    );
    if (same) {
      same.statement = merged(same.statement, statement);
      same.said = saidIn(same.statement);
    } else kept.push({ statement, said });
  }
  return kept.map(({ statement }) => statement);
}

/** The one that says more, with the sources of both and the score of the better one. */
function merged(better: ScoredStatement, other: ScoredStatement): ScoredStatement {
  const fuller = other.terms.size > better.terms.size ? other : better;
  const numbers = [better.source, ...better.also, other.source, ...other.also];
  return {
    ...fuller,
    score: better.score,
    also: [...new Set(numbers)].filter((number) => number !== fuller.source).sort((a, b) => a - b),
  };
}

function areSameEvent(a: DigestSource | undefined, b: DigestSource | undefined): boolean {
  if (!a || !b || (a.memory.eventTime === null && b.memory.eventTime === null)) return true;
  return Math.floor(orderTime(a.memory) / DAY_MS) === Math.floor(orderTime(b.memory) / DAY_MS);
}

/** Words of a speaker on itself or to the listener: said by another, they say something else. */
const personal = /\b(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours)\b/i;

interface Said {
  readonly text: string;
  readonly speaker: string;
  /** Without those of the speaker's name. */
  readonly terms: ReadonlySet<string>;
}

function saidIn({ text, terms }: ScoredStatement): Said {
  const speaker = speakerOf(text);
  if (!speaker) return { text, speaker: '', terms };
  const own = new Set(analyze(speaker.name));
  return {
    text: text.slice(speaker.bodyStart),
    speaker: speaker.name,
    terms: new Set([...terms].filter((term) => !own.has(term))),
  };
}

function saySame(a: Said, b: Said): boolean {
  const [longer, shorter] = a.terms.size >= b.terms.size ? [a, b] : [b, a];
  if (a.speaker !== b.speaker && (personal.test(a.text) || personal.test(b.text))) return false;
  const different = [...differenceOf(longer, shorter), ...differenceOf(shorter, longer)];
  if (different.some((term) => digit.test(term)) || negations(a) !== negations(b)) return false;
  const shared = shorter.terms.size - differenceOf(shorter, longer).length;
  if (shared / (longer.terms.size + shorter.terms.size - shared) >= sameMin) return true;
  return (
    shorter.terms.size >= coveredTermsMin &&
    shared / shorter.terms.size >= coveredMin &&
    longer.terms.size <= shorter.terms.size * longerMax
  );
}

const differenceOf = (a: Said, b: Said) => [...a.terms].filter((term) => !b.terms.has(term));
const negations = ({ text }: Said) => text.match(negation)?.length ?? 0;
