import { readText } from '../../src/language/derive-text.ts';
import type { LanguageModel } from '../../src/language/language-model.ts';
import { findRelationship } from '../../src/language/relationships/find-relationship.ts';
import {
  automaticRelationshipMin,
  type DerivedRelationshipType,
  type RelationshipFinding,
} from '../../src/language/relationships/finding.ts';
import { type TextView, toTextView } from '../../src/language/relationships/text-view.ts';
import type { LabelledPair, PairLabel } from './labelled.ts';
import { Scores } from './score.ts';

export type Embed = (text: string) => Float32Array;

/** A text as the rules for edges read it, with the vector of its body. */
export interface Embedded {
  readonly view: TextView;
  readonly vector: Float32Array;
}

const labelOf: Readonly<Record<DerivedRelationshipType, PairLabel>> = {
  DUPLICATES: 'D',
  SUPERSEDES: 'S',
  // The line between replacing and denying is a matter of taste, so both count as one label.
  CONTRADICTS: 'S',
  RESOLVES: 'R',
  REFERENCES: 'F',
};

export function embedText(model: LanguageModel, embed: Embed, text: string): Embedded {
  const { analysed, entities, facts } = readText(model, text);
  const view = toTextView(analysed, entities, facts);
  return { view, vector: embed(view.body) };
}

export function cosineOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The edge that a service would make without confirmation. */
export function automaticEdge(
  model: LanguageModel,
  earlier: Embedded,
  later: Embedded,
): RelationshipFinding | undefined {
  const edge = findRelationship(model, earlier.view, later.view, cosineOf(earlier.vector, later.vector));
  return edge && edge.confidence >= automaticRelationshipMin ? edge : undefined;
}

/** Automatic edges of labelled pairs. */
export function measureEdges(model: LanguageModel, embed: Embed, pairs: readonly LabelledPair[]): Scores {
  const scores = new Scores();
  for (const { earlier, later, label } of pairs) {
    const edge = automaticEdge(model, embedText(model, embed, earlier), embedText(model, embed, later));
    const found = edge ? labelOf[edge.type] : 'N';
    const expected = label === 'C' ? 'S' : label;
    if (expected !== 'N') scores.add(expected, 'labelled');
    if (found !== 'N') scores.add(found, 'found');
    if (found === expected && found !== 'N') scores.add(found, 'right');
    if (found !== expected)
      scores.faults.push(`${label} -> ${found}: ${earlier} || ${later} ${edge?.reason ?? ''}`);
  }
  return scores;
}
