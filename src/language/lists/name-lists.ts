import { join } from 'node:path';
import { LanguageFileError, readJsonFile } from '../language-file.ts';

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
