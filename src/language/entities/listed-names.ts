import type { LanguageModel } from '../language-model.ts';
import type { MentionDraft } from './mention-draft.ts';

const organisationWordsMax = 2;
/** Listed organisations that are also ordinary words or places: left to the recogniser. */
const ambiguousOrganisation = /^(Apple|Orange|Shell|Meta|Oracle|Cambridge|Oxford)$/;

/** Finds listed organisations, spelled as in the list. */
export function findOrganisations(draft: MentionDraft, { lexicon }: LanguageModel): void {
  const { words } = draft.sentence;
  for (let i = 0; i < words.length; i++)
    for (let n = Math.min(organisationWordsMax, words.length - i); n >= 1; n--) {
      const name = n === 1 ? words[i] : words.slice(i, i + n).join(' ');
      if (lexicon.organisations.has(name) && !ambiguousOrganisation.test(name))
        draft.put(i, i + n, 'ORGANIZATION', 'list', 0.85);
    }
}

const givenName = /^\p{Lu}\p{Ll}+$/u;
const afterName = /^(VBZ|VBD|MD|POS)$/;
const beforeName = /^(by|with|from|and|ask|asked|told|met|to|,)$/i;
const betweenNames = /^(and|,)$/;

/** Finds listed given names before a verb, after a preposition or in a list of names. */
export function findGivenNames(draft: MentionDraft, { names, lexicon }: LanguageModel): void {
  const { words, tags } = draft.sentence;
  for (const [i, word] of words.entries()) {
    if (!givenName.test(word) || !draft.isFree(i)) continue;
    const key = word.toLowerCase();
    if (!names.givenNames.has(key) || lexicon.english.has(key) || lexicon.technologies.has(key)) continue;
    const isName =
      afterName.test(tags[i + 1] ?? '') ||
      beforeName.test(words[i - 1] ?? '') ||
      betweenNames.test(words[i + 1] ?? '');
    if (isName) draft.put(i, i + 1, 'PERSON', 'list', 0.6);
  }
}

const joining = /^(joined|joins|joining)$/i;
const working = /^(work|works|worked|working|employed|hired|intern|job)$/i;
const workPreposition = /^(for|at|by)$/i;
const capitalised = /^\p{Lu}[\p{L}\p{N}&.-]+$/u;
const properNoun = /^NNP/;

/** Finds unknown names of employers: after `works for`, `joined` and similar words. */
export function findEmployers(draft: MentionDraft, { names, lexicon }: LanguageModel): void {
  const { words, tags } = draft.sentence;
  for (let i = 1; i < words.length; i++) {
    const isCue =
      joining.test(words[i - 1]) || (workPreposition.test(words[i - 1]) && working.test(words[i - 2] ?? ''));
    if (!isCue) continue;
    const isOfName = (at: number) =>
      at < words.length && capitalised.test(words[at]) && properNoun.test(tags[at]);
    let end = i;
    while (isOfName(end) && !draft.isTooLong(i, end + 1)) end++;
    if (isOfName(end)) continue;
    const key = words.slice(i, end).join(' ').toLowerCase();
    const isOther = [key, words[i].toLowerCase()].some(
      (name) => names.places.has(name) || names.givenNames.has(name) || lexicon.technologies.has(name),
    );
    if (end > i && !isOther) draft.put(i, end, 'ORGANIZATION', 'pattern', 0.75);
  }
}
