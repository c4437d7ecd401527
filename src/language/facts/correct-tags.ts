import type { LanguageModel } from '../language-model.ts';
import { lemmaOf } from './lemma.ts';

const capitalised = /^\p{Lu}\p{Ll}+$/u;
const taggedOtherwise = /^(NN|JJ|VB|RB|NNPS|FW|UH)/;
/** Given names that are also words. */
const ambiguousName = /^(Will|May|Mark|Grant|Bill|Art|Drew|Rich|Chase|Hope|Joy|Faith|Grace)$/;
const determiner = /^(the|a|an|our|my)$/i;
const verbTag = /^VB[NDP]?$/;
const identifier = /[a-z][A-Z]|[._/]\w|\w-\w*\d|\(\)$|^[A-Z]+_[A-Z_]+$/;
const identifierMin = 4;
const finite = /^(VBZ|VBD|VBP|MD)$/;
const connector = /^(when|because|while|before|after|if|and|but|,|which|that|until|as|since|so)$/i;
const subjectTag = /^(NN|NNP|NNPS|CD|PRP|RB|CC|ADD|FW|-RRB-|,|XX|GW|NNS|JJ|UH|LS|SYM)$/;
const afterNoun = /^(of|and|or)$/;

/**
 * Corrects tags for the parser. Notes are terse and use the third person present ("the gym closes at ten"),
 * whose verbs the tagger, trained on other texts, takes for plural nouns.
 */
export function correctTags(
  model: LanguageModel,
  words: readonly string[],
  given: readonly string[],
): string[] {
  const tags = [...given];
  for (let i = 0; i < words.length; i++) {
    correctName(model, words, tags, i);
    correctAfterDeterminer(model, words, tags, i);
    if (words[i].length >= identifierMin && identifier.test(words[i]) && !tags[i].startsWith('VB'))
      tags[i] = 'NNP';
    correctNoLonger(model, words, tags, i);
  }
  for (let i = 1; i < words.length; i++) if (isVerbOfNote(model, words, tags, i)) tags[i] = 'VBZ';
  return tags;
}

const isVerb = ({ lexicon }: LanguageModel, word: string) => lexicon.verbs.has(lemmaOf(word));

function correctName({ names }: LanguageModel, words: readonly string[], tags: string[], i: number): void {
  if (i === words.length - 1 || !capitalised.test(words[i]) || !taggedOtherwise.test(tags[i])) return;
  if (names.givenNames.has(words[i].toLowerCase()) && !ambiguousName.test(words[i])) tags[i] = 'NNP';
}

/** Tags `build fails` in `the build fails` as noun and verb. */
function correctAfterDeterminer(
  model: LanguageModel,
  words: readonly string[],
  tags: string[],
  i: number,
): void {
  const next = words[i + 1] ?? '';
  if (!determiner.test(words[i - 1] ?? '') || !verbTag.test(tags[i]) || !next.endsWith('s')) return;
  if (!isVerb(model, next)) return;
  tags[i] = 'NN';
  tags[i + 1] = 'VBZ';
}

function correctNoLonger(model: LanguageModel, words: readonly string[], tags: string[], i: number): void {
  if (!/^longer$/i.test(words[i]) || !/^no$/i.test(words[i - 1] ?? '')) return;
  tags[i - 1] = 'RB';
  tags[i] = 'RB';
  const next = words[i + 1] ?? '';
  if (tags[i + 1]?.startsWith('NN') && isVerb(model, next)) tags[i + 1] = next.endsWith('s') ? 'VBZ' : 'VBP';
}

/**
 * Whether a word tagged as a plural noun is the verb of its clause: its base form is a verb and the clause
 * has no other.
 */
function isVerbOfNote(
  model: LanguageModel,
  words: readonly string[],
  tags: readonly string[],
  i: number,
): boolean {
  const [word, next, before] = [words[i], words[i + 1], tags[i - 1]];
  if (tags[i] !== 'NNS' || !word.endsWith('s') || next === undefined || next === '.') return false;
  if (!isVerb(model, word) || afterNoun.test(next)) return false;
  if (!subjectTag.test(before) || (before === 'JJ' && i > 1)) return false;
  const isFiniteVerb = (tag: string) => finite.test(tag);
  if (before !== 'CC' && tags.slice(0, i).some(isFiniteVerb)) return false;
  return !tags.slice(i + 1).some(isFiniteVerb) || words.slice(i + 1).some((other) => connector.test(other));
}
