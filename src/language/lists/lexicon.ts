import { join } from 'node:path';
import { readLines } from '../language-file.ts';
import type { NameLists } from './name-lists.ts';

/** Word lists that the recogniser was not trained with. */
export interface Lexicon {
  /** Canonical names of technologies by lower-case name or alias, from `gazetteer.json` and our own list. */
  readonly technologies: ReadonlyMap<string, string>;
  /** Names and aliases of `technologies.txt`, in lower case. */
  readonly ownTechnologies: ReadonlySet<string>;
  /** As written. */
  readonly organisations: ReadonlySet<string>;
  /** Base forms. */
  readonly verbs: ReadonlySet<string>;
  /** Ordinary words, in lower case. */
  readonly english: ReadonlySet<string>;
  /**
   * Position of a word in the vocabulary, which is sorted by frequency; the commonest words are at about
   * 2,000.
   */
  readonly rank: ReadonlyMap<string, number>;
}

/** Range of ordinary words in the vocabulary of the static model. */
const [englishFrom, englishTo] = [1996, 21_000];
const lowerWord = /^[a-z]+$/;
/** Names in that range. */
const names = new Set(
  'linux python javascript html unix perl php sql mysql nokia xml css ubuntu android ios macos debian github django npm docker'.split(
    ' ',
  ),
);

/** @throws LanguageFileError */
export function loadLexicon(folder: string, lists: NameLists, vocabulary: readonly string[]): Lexicon {
  const technologies = new Map(lists.technologies);
  const ownTechnologies = new Set<string>();
  for (const line of readLines(join(folder, 'technologies.txt'))) {
    if (line.startsWith('#') && !line.startsWith('#=')) continue;
    const [canonical, aliases = ''] = line.split(' =');
    for (const alias of [canonical, ...aliases.split(',')]) {
      const key = alias.trim().toLowerCase();
      if (key === '') continue;
      technologies.set(key, canonical.trim());
      ownTechnologies.add(key);
    }
  }
  const ordinary = vocabulary.slice(englishFrom, englishTo);
  return {
    technologies,
    ownTechnologies,
    organisations: new Set(readLines(join(folder, 'organisations.txt'))),
    verbs: new Set(readLines(join(folder, 'verbs.txt'))),
    english: new Set(ordinary.filter((word) => lowerWord.test(word) && !names.has(word))),
    rank: new Map(vocabulary.map((word, place) => [word, place])),
  };
}
