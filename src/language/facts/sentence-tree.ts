import type { AnalysedSentence } from '../analysed-text.ts';
import type { EntityMention } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import { correctTags } from './correct-tags.ts';
import type { SourceSpan } from './fact.ts';
import { type Unit, unitsOf } from './sentence-units.ts';

/** A phrase of consecutive words, first and last included. */
export interface Phrase {
  readonly first: number;
  readonly last: number;
  readonly head: number;
}

/** A parsed sentence. */
export class SentenceTree {
  readonly units: readonly Unit[];
  readonly words: readonly string[];
  readonly tags: readonly string[];
  /** -1 for the root. */
  readonly heads: readonly number[];
  readonly relations: readonly string[];
  readonly margin: number;
  readonly #text: string;
  readonly #dependents: readonly (readonly number[])[];

  constructor(
    model: LanguageModel,
    text: string,
    sentence: AnalysedSentence,
    entities: readonly EntityMention[],
  ) {
    this.#text = text;
    this.units = unitsOf(text, sentence.tokens, entities);
    this.words = this.units.map(({ word }) => word);
    const tags = model.tagger.tag(this.words).map((tag, i) => (this.units[i].isName ? 'NNP' : tag));
    this.tags = correctTags(model, this.words, tags);
    const { heads, relations, margin } = model.parser.parse(this.words, this.tags);
    this.heads = heads;
    this.relations = relations;
    this.margin = margin;
    const dependents = heads.map((): number[] => []);
    for (const [i, head] of heads.entries()) if (head >= 0) dependents[head].push(i);
    this.#dependents = dependents;
  }

  dependents(head: number, ...relations: readonly string[]): readonly number[] {
    const all = this.#dependents[head];
    return relations.length === 0 ? all : all.filter((i) => relations.includes(this.relations[i]));
  }

  has(head: number, ...relations: readonly string[]): boolean {
    return this.#dependents[head].some((i) => relations.includes(this.relations[i]));
  }

  spanOf({ first, last }: { readonly first: number; readonly last: number }): SourceSpan {
    const [start, end] = [this.units[first].start, this.units[last].end];
    return { text: this.#text.slice(start, end), start, end };
  }
}
