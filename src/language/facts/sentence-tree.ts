import type { AnalysedSentence } from '../analysed-text.ts';
import type { EntityMention } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import type { SourceSpan } from './fact.ts';
import { correctTags, type Unit, unitsOf } from './parser-input.ts';

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

/** Dependents that are not part of a noun phrase. */
const cut = new Set(
  'acl advcl parataxis appos punct discourse vocative cc list dislocated ccomp csubj orphan cop aux mark expl nsubj conj'.split(
    ' ',
  ),
);
const adverb =
  /^(also|now|just|too|then|already|still|currently|again|actually|yesterday|today|tomorrow|tonight|soon|later|recently|here|there|instead|before|ago|usually|once|really)$/i;
const notFirst = /^([,;:.]|of|and|or)$/;
const separator = /^(,|and|or|&)$/;
const conjunction = /^(and|or)$/;
const nounTag = /^(NN|NNS|NNP|NNPS|CD|JJ|FW|ADD)$/;
const afterList = /^(,|and|or|[.!;:)]|in|at|on|for|since|from|with)$/;
const itemWordsMax = 4;

/** The noun phrase of a head: the consecutive words around it that depend on it. */
export function nounPhrase(tree: SentenceTree, head: number): Phrase {
  const belongs = new Set([head]);
  const add = (i: number): void => {
    for (const dependent of tree.dependents(i)) {
      const relation = tree.relations[dependent];
      if (cut.has(relation)) continue;
      if (relation === 'advmod' && i === head && adverb.test(tree.words[dependent])) continue;
      belongs.add(dependent);
      add(dependent);
    }
  };
  add(head);
  let [first, last] = [head, head];
  while (belongs.has(first - 1)) first--;
  while (belongs.has(last + 1)) last++;
  while (first < head && notFirst.test(tree.words[first])) first++;
  return { first, last, head };
}

/** A head and the heads coordinated with it, except those of separate clauses. */
export function coordinated(tree: SentenceTree, head: number): number[] {
  return [head, ...tree.dependents(head, 'conj').filter((i) => !tree.has(i, 'nsubj', 'cop'))];
}

/** A phrase and the other items of its list, found by tags and separators: `Rust, Go and Zig`. */
export function listItems(tree: SentenceTree, phrase: Phrase): Phrase[] {
  const { words, tags } = tree;
  const items = [phrase];
  for (let i = phrase.last + 1; i < words.length && separator.test(words[i]); ) {
    const first = conjunction.test(words[i + 1] ?? '') ? i + 2 : i + 1;
    let end = first;
    while (end < words.length && nounTag.test(tags[end])) end++;
    if (end === first || end - first > itemWordsMax) break;
    if (end < words.length && !afterList.test(words[end])) break;
    items.push({ first, last: end - 1, head: end - 1 });
    i = end;
  }
  return items;
}

/** The phrase without its first words, as long as they fulfil `fits`. */
export function without(phrase: Phrase, fits: (i: number) => boolean): Phrase {
  let first = phrase.first;
  while (first < phrase.head && fits(first)) first++;
  return { ...phrase, first };
}

/** The noun phrase of a head without its preposition. */
export function withoutCase(tree: SentenceTree, head: number): Phrase {
  const cases = tree.dependents(head, 'case');
  return without(nounPhrase(tree, head), (i) => cases.includes(i));
}

/** The prepositions of a head, as written. */
export const caseWords = (tree: SentenceTree, head: number) =>
  tree
    .dependents(head, 'case')
    .map((i) => tree.words[i])
    .join(' ');
