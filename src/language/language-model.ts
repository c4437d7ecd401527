import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { Parser } from './models/parser.ts';
import { ListMarks, Recogniser } from './models/recogniser.ts';
import { Tagger } from './models/tagger.ts';
import { WordClusters } from './models/word-clusters.ts';
import { type Lexicon, loadLexicon, loadNameLists, type NameLists } from './models/word-lists.ts';

/**
 * The models and lists of `models/language-en`, loaded once per thread. Calls are synchronous and share
 * buffers.
 */
export interface LanguageModel {
  readonly tagger: Pick<Tagger, 'tag'>;
  readonly recogniser: Pick<Recogniser, 'label'>;
  readonly parser: Pick<Parser, 'parse'>;
  readonly names: NameLists;
  readonly lexicon: Lexicon;
}

/**
 * @param vocabulary `StaticModel.vocabulary`, from which the word clusters were made
 * @throws LanguageFileError with the name of the missing or damaged file
 */
export function loadLanguageModel(folder: string, vocabulary: readonly string[]): LanguageModel {
  const clusters = new WordClusters(folder, vocabulary);
  const names = loadNameLists(folder);
  const tagger = new Tagger(join(folder, 'pos'), clusters);
  const recogniser = new Recogniser(join(folder, 'ner'), clusters, new ListMarks(names));
  const parser = new Parser(join(folder, 'dep'), clusters);
  return {
    tagger: { tag: remembered((words: readonly string[]) => tagger.tag(words)) },
    recogniser: {
      label: remembered((words: readonly string[], tags: readonly string[]) => recogniser.label(words, tags)),
    },
    parser: {
      parse: remembered((words: readonly string[], tags: readonly string[]) => parser.parse(words, tags)),
    },
    names,
    lexicon: loadLexicon(folder, names, vocabulary),
  };
}

/** UTF-16 units of words and tags in the cache: about 2,000 sentences, 8 MB. */
const unitsMax = 400_000;
/** Never part of a stored text. */
const separator = '\u0000';

/**
 * Caches the latest results of a pure function of a sentence's words (and lists of the same length), since
 * deriving a text and comparing it with others both read its sentences. Callers must not change the results.
 */
export function remembered<A extends readonly (readonly string[])[], R extends object>(
  compute: (...lists: A) => R,
): (...lists: A) => R {
  const results = new LRUCache<string, R>({ maxSize: unitsMax, sizeCalculation: (_, key) => key.length + 1 });
  return (...lists) => {
    const key = lists.map((list) => list.join(separator)).join(separator);
    const known = results.get(key);
    if (known) return known;
    const result = compute(...lists);
    results.set(key, result);
    return result;
  };
}
