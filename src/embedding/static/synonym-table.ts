import type { Synonym, Synonyms } from '../../domain/embedding/similarity.ts';
import type { StaticModel } from './static-model.ts';

const closenessMax = 255;

/** Near words from the model's own table: up to 32 for each whole word of its vocabulary. */
export class SynonymTable implements Synonyms {
  readonly #model: StaticModel;

  constructor(model: StaticModel) {
    this.#model = model;
  }

  near(word: string): Synonym[] {
    const { pieces, near, vocabulary } = this.#model;
    const id = pieces.idOf(word);
    const row = id === undefined ? undefined : near.rows.get(id);
    if (row === undefined) return [];
    const found: Synonym[] = [];
    for (let i = row * near.perRow; i < (row + 1) * near.perRow && near.similarity[i] > 0; i++)
      found.push({ word: vocabulary[near.ids[i]], closeness: near.similarity[i] / closenessMax });
    return found;
  }
}
