import { join } from 'node:path';
import { LanguageFileError, readJsonFile, readLines } from './language-file.ts';

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

/** The lists of `gazetteer.json`; every key is in lower case. */
export interface NameLists {
  /** Canonical names of technologies by name or alias. */
  readonly technologies: ReadonlyMap<string, string>;
  /** Brand names of simple-icons, in their spelling. */
  readonly brands: ReadonlyMap<string, string>;
  /** Cities, regions and countries. */
  readonly places: ReadonlySet<string>;
  readonly cities: ReadonlySet<string>;
  readonly givenNames: ReadonlySet<string>;
  readonly familyNames: ReadonlySet<string>;
  readonly companies: ReadonlySet<string>;
}

interface GazetteerFile {
  readonly tech: Readonly<Record<string, string>>;
  readonly brands: Readonly<Record<string, string>>;
  /** 1 for a city, 2 for a region, 3 for a country. */
  readonly places: Readonly<Record<string, number>>;
  readonly given: Readonly<Record<string, 1>>;
  readonly family: Readonly<Record<string, 1>>;
  readonly orgs: Readonly<Record<string, 1>>;
}

const cityKind = 1;

/** @throws LanguageFileError */
export function loadNameLists(folder: string): NameLists {
  const path = join(folder, 'gazetteer.json');
  const file = readJsonFile<GazetteerFile>(path);
  for (const list of ['tech', 'brands', 'places', 'given', 'family', 'orgs'] as const)
    if (typeof file[list] !== 'object') throw new LanguageFileError(path, `has no list ${list}`);
  const places = Object.entries(file.places);
  return {
    technologies: new Map(Object.entries(file.tech)),
    brands: new Map(Object.entries(file.brands)),
    places: new Set(places.map(([name]) => name)),
    cities: new Set(places.filter(([, kind]) => kind === cityKind).map(([name]) => name)),
    givenNames: new Set(Object.keys(file.given)),
    familyNames: new Set(Object.keys(file.family)),
    companies: new Set(Object.keys(file.orgs)),
  };
}
