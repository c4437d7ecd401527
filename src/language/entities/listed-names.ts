import type { LanguageModel } from '../language-model.ts';
import type { MentionDraft } from './mention-draft.ts';

const organisationWordsMax = 2;
/** On the list, but words as well: left to the recogniser. */
const ambiguousOrganisation = /^(Apple|Orange|Shell|Meta|Oracle|Cambridge|Oxford)$/;

/** Organisations of the list, as written there. */
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

/** Given names of the list that the recogniser missed: before a verb, after a preposition, in a list of names. */
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
