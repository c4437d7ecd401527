import type { AnalysedText } from '../analysed-text.ts';
import type { LanguageModel } from '../language-model.ts';
import type { Speaker } from '../text/speaker.ts';
import { type EntityMention, isSupportedMention, supportedCertainty } from './entity.ts';
import type { KnownNames } from './known-names.ts';
import { findEmployers, findGivenNames, findOrganisations } from './listed-names.ts';
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
