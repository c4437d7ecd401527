import { isListedName, kindOfWord } from '../../lib/speakers/speaker-label.ts';
import type { LanguageModel } from '../language-model.ts';

/** Sentences in which the recogniser takes only names of people for people. */
const frames = [
  (name: string) => ['Yesterday', 'I', 'met', name, '.'],
  (name: string) => [name, 'and', 'I', 'went', 'home', '.'],
  (name: string) => ['Thanks', ',', name, '!'],
  (name: string) => [name, "'s", 'sister', 'is', 'here', '.'],
];

/** Frames in which the recogniser takes a word for a person: most for Kenji and Bill, none for Hope or Studio. */
const framesOf = ({ tagger, recogniser }: LanguageModel, word: string) =>
  frames.filter((frame) => {
    const words = frame(word);
    return recogniser.label(words, tagger.tag(words))[words.indexOf(word)].endsWith('PER');
  }).length;
const most = frames.length - 1;

/** Whether a single word is a name of people in lists, and nothing else. */
export const isNameOfPeople = (model: LanguageModel, word: string) =>
  model.names.givenNames.has(word.toLowerCase()) || (isListedName(word) && framesOf(model, word) >= most);

/** Whether a single word that looks like a person is an ordinary word or one of code. */
export const isOrdinaryWord = (model: LanguageModel, word: string) =>
  kindOfWord(word) === 'label' &&
  !model.names.familyNames.has(word.toLowerCase()) &&
  framesOf(model, word) < frames.length;
