import { isListedName, kindOfWord } from '../../lib/speakers/speaker-label.ts';
import type { LanguageModel } from '../language-model.ts';
import type { MentionDraft } from './mention-draft.ts';
import { isNameOfPeople } from './person-name.ts';

/** A name that the recogniser found: tokens `from` to `to`, exclusive, with its type of label. */
interface Recognised {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

const title = /^(dr|mr|mrs|ms|prof|sir|lady|aunt|auntie|uncle)\.?$/i;
const particle = /^(?:de|da|van|von|der|del|la|bin|al)$/;
const personWordsMax = 4;
const acronym = /^\p{Lu}{2,}$/u;
const initial = /^\p{Lu}\.?$/u;
/** Nouns of people, before a name (`my daughter Zosia`, `a colleague named Aslak`) or after it (`Oda's mother`). */
const human =
  /^(mother|father|mum|mom|dad|parents|sister|brother|son|daughter|wife|husband|partner|uncle|aunt|cousin|nephew|niece|grandmother|grandfather|grandma|grandpa|friend|friends|colleague|boss|neighbour|neighbor|teacher|doctor|nurse|tutor|coach|landlord|landlady|intern|trainee|author|writer|singer|actor|actress|artist|painter|pianist|lawyer|engineer|developer|designer|electrician|plumber|roofer|caretaker|seamstress|midwife|chef|therapist|roommate|flatmate|buddy|baby|girl|boy|man|woman|kid|guy|lady)$/i;
const ofPeople =
  /^(birthday|wedding|house|kitchen|voice|hand|hands|face|laptop|desk|office|handwriting|family)$/i;
const naming = /^(named|called)$/i;
/** Verbs of people, not of companies and programs, which raise, want and fail too. */
const humanVerb =
  /^(says|said|thinks|thought|told|tells|laughs|laughed|cries|cried|smiled|wrote|writes|prefers|preferred|loves|loved|likes|liked|hates|hated|knows|knew|feels|felt|suggests|suggested|remembers|remembered|jokes|joked|hopes|hoped|believes|believed|married|came|went|slept|ate|visited|visits|quit|joined|lives|lived|rang|taught|painted|drew|sings|sang|studied|studies|noticed|agreed|apologised|apologized|promised|forgot|learned|learnt|found|asked|answered|replied|broke|died|gave|took|got)$/i;
const meeting =
  /^(met|ask|asked|tell|told|thank|thanks|hugged|kissed|married|invited|hi|hey|hello|dear|sorry|congrats|goodnight)$/i;
const company =
  /^(coffee|lunch|dinner|breakfast|pairing|paired|chat|chatted|talked|spoke|agreed|call|date)$/i;
const placeCue = /^(in|near|around|outside|visit|visited|visiting|of)$/i;
const townOf = /^(city|town|village|island|lake|river|street)$/i;
const genitive = /^['’]s$/;
const closingQuote = /["”]/;
const atAcronym = /^(at|joined)$/i;
const organisationCue = /^(at|for|joined|by|customer|supplier|vendor|client|company|firm)$/i;
/** Last words of names of places, and first words. */
const placeEnd =
  /^(park|parks|street|road|avenue|lane|trail|beach|city|town|island|islands|river|lake|mountain|mountains|rockies|bridge|grove|village|square|garden|gardens|museum|springs|coast|valley|bay|hill|hills|canyon|forest|zoo|reserve|station|airport|point|peninsula|falls|desert|ocean|sea)$/i;
const placeStart =
  /^(san|los|las|santa|new|saint|st|são|el|la|mount|lake|north|south|east|west|cape|isle|port)$/i;

/**
 * Whether more than the recogniser's impression shows that a name is of this type: a list, its form or the words
 * around it. Names that no list has are typed wrongly about half of the time: `Larkspur`, `Nettvik`.
 */
export function isSupported(draft: MentionDraft, model: LanguageModel, name: Recognised): boolean {
  if (name.type === 'PER') return isPerson(draft, model, name);
  if (name.type === 'LOC') return isPlace(draft, model, name);
  if (name.type === 'ORG') return isOrganisation(draft, model, name);
  return true;
}

function isPerson(draft: MentionDraft, model: LanguageModel, { from, to }: Recognised): boolean {
  const { words } = draft.sentence;
  const [first, last] = [words[from], words[to - 1]];
  if (title.test(first) || isTitled(words, from)) return true;
  const isSingle = to === from + 1;
  if (isGiven(model, first) || (isSingle && model.names.familyNames.has(first.toLowerCase()))) return true;
  if (hasHumanCue(draft, model, from, to)) return true;
  if (isSingle) return isNameOfPeople(model, first);
  // `Halvorsen Shipping`, `Glycerin Shampoo`, `PAT DRY`, `I. Backup`
  const isWord = (word: string) =>
    isOrdinary(model, word) || initial.test(word) || word === word.toUpperCase();
  const hasParticle = words.slice(from + 1, to - 1).some((word) => particle.test(word));
  return hasParticle || (!isWord(first) && !isWord(last) && to - from <= personWordsMax);
}

function isPlace(draft: MentionDraft, model: LanguageModel, { from, to }: Recognised): boolean {
  const { words } = draft.sentence;
  if (model.names.places.has(draft.textOf(from, to).toLowerCase())) return true;
  const before = words[from - 1] ?? '';
  const isCued = placeCue.test(before) || townOf.test(before);
  if (to === from + 1) return acronym.test(words[from]) || (isCued && !isOrdinary(model, words[from]));
  if (placeEnd.test(words[to - 1]) || placeStart.test(words[from])) return true;
  return isCued && !isOrdinary(model, words[to - 1]);
}

function isOrganisation(draft: MentionDraft, model: LanguageModel, { from, to }: Recognised): boolean {
  const { words } = draft.sentence;
  const key = draft.textOf(from, to).toLowerCase();
  if (model.names.companies.has(key) && from > 0) return true;
  if (to > from + 1) return !/^(and|or)$/i.test(words[to - 1]);
  const isOther = isGiven(model, words[from]) || model.names.places.has(key);
  if (acronym.test(words[from])) return atAcronym.test(words[from - 1] ?? '');
  if (isOther || isOrdinary(model, words[from])) return false;
  return organisationCue.test(words[from - 1] ?? '') && !human.test(words[to + 1] ?? '');
}

/** Whether the words around a name are those around people. */
function hasHumanCue(draft: MentionDraft, model: LanguageModel, from: number, to: number): boolean {
  const { words } = draft.sentence;
  const at = (i: number) => words[i] ?? '';
  const [before, earlier, after, next] = [at(from - 1), at(from - 2), at(to), at(to + 1)];
  const isOfList = (word: string) => word === 'I' || isGiven(model, word);
  return [
    human.test(before),
    naming.test(before) && human.test(earlier),
    humanVerb.test(after),
    meeting.test(before),
    before === ',' && meeting.test(earlier),
    before === 'with' && company.test(earlier),
    genitive.test(after) && (human.test(next) || ofPeople.test(next)),
    before === 'by' && closingQuote.test(earlier),
    after === 'and' && isOfList(next),
    before === 'and' && isOfList(earlier),
  ].includes(true);
}

const isTitled = (words: readonly string[], from: number) =>
  title.test(words[from - 1] ?? '') || (words[from - 1] === '.' && title.test(words[from - 2] ?? ''));

const isGiven = ({ names }: LanguageModel, word: string) =>
  names.givenNames.has(word.toLowerCase()) || kindOfWord(word) === 'given';

const isOrdinary = ({ names }: LanguageModel, word: string) => {
  const key = word.toLowerCase();
  if (names.familyNames.has(key) || names.givenNames.has(key) || isListedName(word)) return false;
  return kindOfWord(word) === 'label';
};
