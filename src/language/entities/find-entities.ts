import type { AnalysedText } from '../analysed-text.ts';
import type { LanguageModel } from '../language-model.ts';
import type { Speaker } from '../text/speaker.ts';
import { type EntityMention, isSupportedMention, supportedCertainty } from './entity.ts';
import type { KnownNames } from './known-names.ts';
import { MentionDraft } from './mention-draft.ts';
import { findComponents, findPaths, findProjects } from './names-by-form.ts';
import { isNameOfPeople } from './person-name.ts';
import { findRecognised } from './recognised-names.ts';
import { findTechnologies, findVersioned, isTechnical } from './technologies.ts';

/**
 * The names in a text, in order. Rules run by falling certainty, and a word belongs to the first rule that
 * takes it: forms (paths, files, endpoints), the user's own names, lists, code, cues, the recogniser,
 * employers and given names. The last two need English; in other texts the recogniser finds nothing.
 */
export function findEntities(
  model: LanguageModel,
  { text, speaker, isEnglish, sentences }: AnalysedText,
  known?: KnownNames,
): EntityMention[] {
  const mentions: EntityMention[] = [];
  if (speaker && isPerson(model, speaker, known))
    mentions.push({
      text: speaker.name,
      type: 'PERSON',
      start: 0,
      end: speaker.nameEnd,
      source: 'pattern',
      certainty: 0.95,
    });
  const technical = isTechnical(text);
  for (const sentence of sentences) {
    const draft = new MentionDraft(text, sentence, technical);
    findPaths(draft, model);
    known?.find(draft, model);
    findOrganisations(draft, model);
    findTechnologies(draft, model);
    findVersioned(draft, model);
    findComponents(draft, model);
    findProjects(draft);
    findRecognised(draft, model);
    if (isEnglish) {
      findEmployers(draft, model);
      findGivenNames(draft, model);
    }
    for (const mention of draft.mentions.sort((a, b) => a.start - b.start)) mentions.push(mention);
  }
  return withSupport(mentions);
}

/** Mentions without support have that of another one of the text, or of a person's full name. */
function withSupport(mentions: readonly EntityMention[]): EntityMention[] {
  const keyOf = ({ type, text }: EntityMention) => `${type} ${text}`;
  const supported = new Set(
    mentions.filter(isSupportedMention).flatMap((mention) => {
      const parts = mention.type === 'PERSON' ? mention.text.split(/\s+/) : [];
      return [keyOf(mention), ...parts.map((text) => keyOf({ ...mention, text }))];
    }),
  );
  return mentions.map((mention) =>
    isSupportedMention(mention) || !supported.has(keyOf(mention))
      ? mention
      : { ...mention, certainty: supportedCertainty },
  );
}

/** A speaker is a person if its name is one of people, or if it is known: because it speaks in several texts. */
const isPerson = (
  model: LanguageModel,
  { name, isRole, isKnownName }: Speaker,
  known: KnownNames | undefined,
) => !isRole && (isKnownName || known?.isPerson(name) === true || isPeoplesName(model, name));

const months = /^(?:January|February|March|April|May|June|July|August)$/;
const isPeoplesName = (model: LanguageModel, name: string) =>
  !months.test(name) && isNameOfPeople(model, name);

const organisationWordsMax = 2;
/** Listed organisations that are also ordinary words or places: left to the recogniser. */
const ambiguousOrganisation = /^(Apple|Orange|Shell|Meta|Oracle|Cambridge|Oxford)$/;

/** Finds listed organisations, spelled as in the list. */
function findOrganisations(draft: MentionDraft, { lexicon }: LanguageModel): void {
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
function findGivenNames(draft: MentionDraft, { names, lexicon }: LanguageModel): void {
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
function findEmployers(draft: MentionDraft, { names, lexicon }: LanguageModel): void {
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
