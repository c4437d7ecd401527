import { join } from 'node:path';
import { type Lexicon, loadLexicon } from './lists/lexicon.ts';
import { loadNameLists, type NameLists } from './lists/name-lists.ts';
import { Parser } from './parser/parser.ts';
import { WordClusters } from './perceptron/word-clusters.ts';
import { ListMarks } from './recogniser/list-marks.ts';
import { Recogniser } from './recogniser/recogniser.ts';
import { Tagger } from './tagger/tagger.ts';

/** The models and lists of `models/language-en`, loaded once a thread; calls do not wait and share their buffers. */
export interface LanguageModel {
  readonly tagger: Tagger;
  readonly recogniser: Recogniser;
  readonly parser: Parser;
  readonly names: NameLists;
  readonly lexicon: Lexicon;
}

/**
 * @param folder of the models
 * @param vocabulary of the static embedding model (`StaticModel.vocabulary`), from which the word clusters were made
 * @throws LanguageFileError naming the file that is missing or damaged
 */
export function loadLanguageModel(folder: string, vocabulary: readonly string[]): LanguageModel {
  const clusters = new WordClusters(folder, vocabulary);
  const names = loadNameLists(folder);
  return {
    tagger: new Tagger(join(folder, 'pos'), clusters),
    recogniser: new Recogniser(join(folder, 'ner'), clusters, new ListMarks(names)),
    parser: new Parser(join(folder, 'dep'), clusters),
    names,
    lexicon: loadLexicon(folder, names, vocabulary),
  };
}
