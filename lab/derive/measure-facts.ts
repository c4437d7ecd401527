import { readText } from '../../src/language/derive-text.ts';
import type { ExtractedFact } from '../../src/language/facts/fact.ts';
import { lemmaOf } from '../../src/language/facts/lemma.ts';
import type { LanguageModel } from '../../src/language/language-model.ts';
import type { LabelledFact, LabelledStatement } from './labelled.ts';
import { Scores } from './score.ts';

const overlapMin = 0.5;
const weak = /^(the|a|an|my|our|his|her|their|of|in|on|at|to)$/;
const auxiliary = /^(be|have|the|a|not|no|longer)$/;

const wordsOf = (text: string) =>
  new Set(
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} ./_{}:-]/gu, '')
      .split(/\s+/)
      .filter((word) => word !== '' && !weak.test(word)),
  );

function overlap(first: string, second: string): number {
  const [a, b] = [wordsOf(first), wordsOf(second)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

const verbsOf = (predicate: string) =>
  new Set(
    predicate
      .toLowerCase()
      .split(/\s+/)
      .map(lemmaOf)
      .filter((word) => !auxiliary.test(word)),
  );

/** Lenient comparison: half of the words of subject and object, one verb, and the same polarity. */
function matches(fact: ExtractedFact, label: LabelledFact): boolean {
  if (overlap(fact.subject.text, label.subject) < overlapMin) return false;
  if (overlap(fact.object.text, label.object) < overlapMin || fact.isNegated !== label.isNegated)
    return false;
  const [a, b] = [verbsOf(fact.predicate), verbsOf(label.predicate)];
  return (a.size === 0 && b.size === 0) || [...a].some((verb) => b.has(verb));
}

const textOf = ({ subject, predicate, object, isNegated }: ExtractedFact) =>
  `${subject.text} | ${predicate} | ${object.text}${isNegated ? ' (negated)' : ''}`;

/**
 * Scores of direct facts. A hedged or planned fact counts as
 * right if it is labelled, and is never counted as wrong.
 */
export function measureFacts(model: LanguageModel, statements: readonly LabelledStatement[]): Scores {
  const scores = new Scores();
  for (const { text, facts: labels } of statements) {
    const { facts } = readText(model, text);
    const used = new Set<LabelledFact>();
    for (const fact of facts) {
      const label = labels.find((one) => !used.has(one) && matches(fact, one));
      if (label) used.add(label);
      const isSure = fact.basis === 'direct';
      if (!isSure && (!label || label.isHedged)) continue;
      scores.add('facts', 'found');
      if (label && !label.isHedged) scores.add('facts', 'right');
      else scores.faults.push(`+ ${textOf(fact)} from: ${text}`);
    }
    for (const label of labels) {
      if (label.isHedged) continue;
      scores.add('facts', 'labelled');
      if (!used.has(label))
        scores.faults.push(`- ${label.subject} | ${label.predicate} | ${label.object} from: ${text}`);
    }
  }
  return scores;
}
