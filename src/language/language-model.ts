import { join } from 'node:path';
import { type Lexicon, loadLexicon } from './lists/lexicon.ts';
import { loadNameLists, type NameLists } from './lists/name-lists.ts';
import { Parser } from './parser/parser.ts';
import { remembered } from './perceptron/remembered.ts';
import { WordClusters } from './perceptron/word-clusters.ts';
import { ListMarks } from './recogniser/list-marks.ts';
import { Recogniser } from './recogniser/recogniser.ts';
import { Tagger } from './tagger/tagger.ts';

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
