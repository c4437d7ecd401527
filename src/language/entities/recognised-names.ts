import { kindOfWord } from '../../lib/speakers/speaker-label.ts';
import type { LanguageModel } from '../language-model.ts';
import { type EntityType, supportedCertainty, unsupportedCertainty } from './entity.ts';
import type { LabelSpan, MentionDraft } from './mention-draft.ts';
import { isSupported } from './name-support.ts';
import { isOrdinaryWord } from './person-name.ts';

const typeOf: Readonly<Record<string, EntityType>> = {
  PER: 'PERSON',
  ORG: 'ORGANIZATION',
  LOC: 'LOCATION',
  TECH: 'TECHNOLOGY',
  CODE: 'COMPONENT',
  MISC: 'CONCEPT',
};
const growing = /PER|ORG|LOC/;
const leading =
  /^(the|a|an|my|our|Mum|Dr\.|Mr\.|Mrs\.|Ms\.|Prof\.|Hi|Hey|Thanks|Yeah|Wow|Yep|Congrats|Woohoo)$/i;
const trailing = /^([^\p{L}\p{N}]+|['’]s)$/u;
const companySuffix =
  /^(GmbH|Inc\.?|Ltd\.?|Corp\.?|LLC|AG|S\.A\.|University|Bank|Institute|School|Hospital|Hotel|Traders|Group|Foundation|Labs|Technologies|Systems|Partners|Airlines|College|Agency|Studios?)$/;
/** Legal forms that end a company's name and are no name by themselves. */
const legalForm = /^(GmbH|Inc\.?|Ltd\.?|Corp\.?|LLC|AG|S\.A\.)$/;
const companyWord =
  /\b(GmbH|Inc|Ltd|Corp|LLC|AG|S\.A|University|Bank|Institute|School|Hospital|Hotel|Traders)\b/;
const properNoun = /^NNPS?$/;
const weekday = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$/;
const capital = /^\p{Lu}/u;
const nameStart = /^\p{Lu}[\p{Ll}.]/u;
/** Capitalised words that do not belong to the name after them. */
const notOfName =
  /^(Hi|Hey|Thanks|Yeah|Wow|Yep|Mum|Dad|Mom|Dr\.|Mr\.|Mrs\.|Ms\.|Congrats|Woohoo|Action|Decision|Question|Budget|Meeting|Backup|Login|User)$/;
const title = /^(Dr|Mr|Mrs|Ms|Prof)\.$/;
const afterSubject = /^(VB|MD|['’]s|POS)/;
const acronym = /^[A-Z+]{2,}$/;
const determiner = /^(the|a|an|our|each|every|no|any)$/i;
/** Words before a name of a thing. */
const within = /^(in|on|inside|into|within|via|through)$/i;
const digit = /\d/;
const shortPlace = /^(uk|us|usa|uae|eu|nyc|ny|la|sf)$/;
const lettersMin = 2;
const beforeAcronym = /^(at|for|by|from|joined)$/i;
const beforeOrganisation = /^(at|joined)$/i;
const letter = /\p{L}/u;
const noLetters = /[^\p{L}]/gu;
const lowerStart = /^[a-z]/;
const codeWord = /^([A-Z][a-z0-9]+){2,}$/;
const codeSign = /[._A-Z()]/;

/** A name while its ends and its type are corrected. */
interface Name {
  type: string;
  from: number;
  to: number;
}

/** Takes the names that the recogniser found, with ends and types corrected by the words around them. */
export function findRecognised(draft: MentionDraft, model: LanguageModel): void {
  for (const span of draft.spans) {
    const name: Name = { ...span };
    trim(draft, name);
    if (name.from >= name.to) continue;
    if (growing.test(name.type)) grow(draft, model, name, span);
    if (draft.isTooLong(name.from, name.to) || isBareAcronym(draft, model, name)) continue;
    correctType(draft, model, name);
    const type = mayBe(draft, model, name) ? finalType(draft, name, span) : undefined;
    if (!type) continue;
    const isSure = type === 'TECHNOLOGY' ? draft.isTechnical : isSupported(draft, model, name);
    draft.put(name.from, name.to, type, 'recogniser', isSure ? supportedCertainty : unsupportedCertainty);
  }
}

function mayBe(draft: MentionDraft, model: LanguageModel, name: Name): boolean {
  if (name.type === 'PER') return mayBePerson(draft, model, name);
  return name.type !== 'LOC' || mayBePlace(draft, model, name);
}

function trim(draft: MentionDraft, name: Name): void {
  const { words } = draft.sentence;
  while (name.from < name.to && leading.test(words[name.from])) name.from++;
  while (name.to > name.from && trailing.test(words[name.to - 1])) name.to--;
}

function grow(draft: MentionDraft, model: LanguageModel, name: Name, span: LabelSpan): void {
  const { words } = draft.sentence;
  const isShort = () => !draft.isTooLong(name.from, name.to);
  while (isShort() && mayEndWith(draft, model, name, span)) {
    if (companySuffix.test(words[name.to])) name.type = 'ORG';
    name.to++;
  }
  while (isShort() && mayBeginWith(draft, model, name.from - 1)) name.from--;
}

function mayEndWith(draft: MentionDraft, model: LanguageModel, name: Name, span: LabelSpan): boolean {
  const { words, tags } = draft.sentence;
  const i = name.to;
  if (i >= words.length || !draft.isFree(i) || weekday.test(words[i])) return false;
  if (!companySuffix.test(words[i]) && !(properNoun.test(tags[i]) && capital.test(words[i]))) return false;
  if (model.lexicon.technologies.has(words[i].toLowerCase())) return false;
  if (legalForm.test(words[i])) return true;
  const other = draft.spanAt(i);
  return !(other && other !== span && other.from === i && other.type !== name.type && other.type !== 'MISC');
}

/** False for the first word of a sentence, whose capital means nothing. */
function mayBeginWith(draft: MentionDraft, model: LanguageModel, i: number): boolean {
  const { words, tags } = draft.sentence;
  if (i <= 0 || !draft.isFree(i) || !properNoun.test(tags[i])) return false;
  return (
    nameStart.test(words[i]) &&
    !notOfName.test(words[i]) &&
    !model.lexicon.technologies.has(words[i].toLowerCase())
  );
}

/**
 * A single acronym is often no organisation, unless `at`, `for`, `joined` or the like comes before it, and no person
 * or place that no list has.
 */
function isBareAcronym(draft: MentionDraft, { names }: LanguageModel, { type, from, to }: Name): boolean {
  const { words } = draft.sentence;
  if (to !== from + 1 || !acronym.test(words[from])) return false;
  const key = words[from].toLowerCase();
  if (type === 'ORG') return !beforeAcronym.test(words[from - 1] ?? '');
  return (
    (type === 'LOC' && !names.places.has(key) && !shortPlace.test(key)) ||
    (type === 'PER' && !names.givenNames.has(key))
  );
}

/** False for a single word that the words around it, or a dictionary, show to be no person: `the Bill`, `in Larkspur`. */
function mayBePerson(draft: MentionDraft, model: LanguageModel, { from, to }: Name): boolean {
  const { words } = draft.sentence;
  if (draft.textOf(from, to).replace(noLetters, '').length < lettersMin) return false;
  if (to !== from + 1) return true;
  const [before, after] = [words[from - 1] ?? '', words[to] ?? ''];
  if (determiner.test(before) || within.test(before) || digit.test(after)) return false;
  return model.names.givenNames.has(words[from].toLowerCase()) || !isOrdinaryWord(model, words[from]);
}

/** False for a word of code, and for an ordinary word that no list has as a place: `Idempotency-Key`, `Canyon`. */
function mayBePlace(draft: MentionDraft, { names }: LanguageModel, { from, to }: Name): boolean {
  const { words } = draft.sentence;
  const key = draft.textOf(from, to).toLowerCase();
  if (to !== from + 1 || names.places.has(key) || shortPlace.test(key)) return true;
  return words[from].split('-').every((part) => kindOfWord(part) !== 'label');
}

function correctType(draft: MentionDraft, { names }: LanguageModel, name: Name): void {
  const { words, tags } = draft.sentence;
  const first = words[name.from].toLowerCase();
  const isGiven = names.givenNames.has(first);
  const isSingle = name.to === name.from + 1;
  if (isSingle && isGiven) {
    const isSubject = name.from === 0 && afterSubject.test(tags[name.to] ?? '');
    if (name.type === 'LOC' && (isSubject || !names.places.has(first))) name.type = 'PER';
    if (/^(TECH|ORG|MISC)$/.test(name.type) && !names.places.has(first)) name.type = 'PER';
  }
  const isPlace = names.places.has(draft.textOf(name.from, name.to).toLowerCase());
  const isAt = beforeOrganisation.test(words[name.from - 1] ?? '');
  if (/^(PER|LOC)$/.test(name.type) && isAt && !isGiven && !isPlace) name.type = 'ORG';
}

function finalType(draft: MentionDraft, name: Name, span: LabelSpan): EntityType | undefined {
  const { words } = draft.sentence;
  const text = draft.textOf(name.from, name.to);
  if (!letter.test(text) || legalForm.test(text)) return undefined;
  const type = typeOf[name.type];
  if (type === 'ORGANIZATION' && codeWord.test(text)) return undefined;
  if (lowerStart.test(text) && type !== 'TECHNOLOGY' && type !== 'COMPONENT') return undefined;
  if (type === 'COMPONENT' && !codeSign.test(text)) return undefined;
  if (title.test(words[span.from - 1] ?? '') || title.test(words[span.from])) return 'PERSON';
  return companyWord.test(text) ? 'ORGANIZATION' : type;
}
