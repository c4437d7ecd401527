import type { LanguageModel } from '../language-model.ts';
import { tokensOf } from '../text/tokens.ts';
import type { EntityType } from './entity.ts';
import type { MentionDraft } from './mention-draft.ts';

/**
 * A name whose type is known from the user's data: a cue, a client's topic, a `codeContext` or a correction.
 */
export interface KnownName {
  readonly name: string;
  readonly type: EntityType;
}

const wordsMax = 6;
const foldableMin = 4;
const properNoun = /^NNP/;

const wordsOf = (name: string) => tokensOf(name).map(({ word }) => word);
const keyOf = (words: readonly string[]) => words.join(' ').toLowerCase();

/** Finds the known names of one user in any text. */
export class KnownNames {
  /** By the words of a name in lower case. */
  readonly #names = new Map<string, KnownName>();
  #longest = 0;

  constructor(names: readonly KnownName[]) {
    this.add(names);
  }

  /** A name takes the type that was added last. */
  add(names: readonly KnownName[]): void {
    for (const known of names) {
      const words = wordsOf(known.name);
      if (words.length === 0 || words.length > wordsMax) continue;
      this.#longest = Math.max(this.#longest, words.length);
      this.#names.set(keyOf(words), { ...known, name: words.join(' ') });
    }
  }

  isPerson(name: string): boolean {
    return this.#names.get(keyOf(wordsOf(name)))?.type === 'PERSON';
  }

  /** Marks the names in a sentence, the longest first. */
  find(draft: MentionDraft, { lexicon }: LanguageModel): void {
    const { words, tags } = draft.sentence;
    for (let i = 0; i < words.length; i++)
      for (let n = Math.min(this.#longest, words.length - i); n >= 1; n--) {
        const written = n === 1 ? words[i] : words.slice(i, i + n).join(' ');
        const key = written.toLowerCase();
        const known = this.#names.get(key);
        if (!known) continue;
        // `Will` is a name and `will` is not; at the start of a sentence only the tagger can tell.
        const isOrdinary = n === 1 && lexicon.english.has(key);
        if (isOrdinary && i === 0 && written !== key && !properNoun.test(tags[i])) continue;
        const foldable = !isOrdinary && key.length >= foldableMin;
        if (written === known.name || foldable) draft.put(i, i + n, known.type, 'user', 0.9);
      }
  }
}
