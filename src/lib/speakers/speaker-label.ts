import { readFileSync } from 'node:fs';
import { foldName } from '../names.ts';

/** A speaker in front of a text, as in `Ana: ...`. */
export interface SpeakerLabel {
  readonly name: string;
  /** Start of the spoken text. */
  readonly bodyStart: number;
  /** Whether the name is a common given name; any other is a person only if it speaks more than once. */
  readonly isKnownName: boolean;
}

/** At most 40 characters that begin with a letter. */
const label = /^\s*(\p{L}[\p{L}\p{M} .'’-]{0,39}):\s+/u;
const separator = /[ .'’-]+/;
const wordsMax = 4;
const smallLetter = /^\p{Ll}/u;
const genitive = /['’]s(?:\s|$)/;
const particle = /^(?:de|da|van|von|der|del|la|bin|al)$/i;
const title = /^(?:Dr|Mr|Mrs|Ms|Prof)$/;
/** `TypeError`, but not `McDonald` or `DeShawn`. */
const innerCapital = /^(?!(?:Mc|Mac|De|Di|Du|La|Le|Van)\p{Lu})\p{L}*\p{Ll}\p{Lu}/u;
const acronym = /^\p{Lu}{2,}$/u;
/** Labels of texts that are neither ordinary words nor made of them. */
const ofTexts =
  /^(?:todo|fyi|chores?|docs|perf|refactor|retro|postmortem|hotfix|runbook|gotchas?|nits?|prio|ps|nb)$/;

/**
 * The speaker in front of a text; not a label of the text itself, which is an ordinary
 * word (`Rejected:`, `Root cause:`), a compound (`Standup:`), a name of code or an acronym.
 */
export function speakerLabelOf(content: string): SpeakerLabel | undefined {
  // Most texts have no colon at their beginning: the check takes a tenth of the time of a failed match.
  const beginning = content.slice(0, 60);
  const found = beginning.includes(':') ? label.exec(beginning) : null;
  if (!found) return undefined;
  const [whole, name] = found;
  const words = name.split(separator).filter((word) => word !== '');
  if (words.length > wordsMax || genitive.test(name)) return undefined;
  const kinds = words.map(
    (word, i): KindOfWord =>
      title.test(word) || (i > 0 && particle.test(words[i - 1])) ? 'possible' : kindOfWord(word),
  );
  const isKnownName = kinds[0] === 'given';
  if (words.some((word) => smallLetter.test(word) && !particle.test(word))) return undefined;
  if (!isKnownName && kinds.includes('label')) return undefined;
  return { name, bodyStart: whole.length, isKnownName };
}

/**
 * `given`: a common given name. `label`: an ordinary word or a word of code, which
 * names no person. `possible`: any other word, which may be a name.
 */
export type KindOfWord = 'given' | 'label' | 'possible';

export function kindOfWord(word: string): KindOfWord {
  const key = word.toLowerCase();
  const { given, names, ordinary } = wordLists();
  if (given.has(key)) return 'given';
  if (names.has(key) || particle.test(word)) return 'possible';
  const isNoName =
    smallLetter.test(word) || innerCapital.test(word) || acronym.test(word) || ofTexts.test(key);
  return isNoName || isOrdinary(foldName(key), ordinary) ? 'label' : 'possible';
}

const endings = ['', 's', 'd', 'ed', 'ing'];
/** Lengths of the parts of a compound: shorter ones occur in names. */
const [firstPartMin, lastPartMin] = [4, 2];

/** Whether a word is ordinary, is the base of an ordinary one (deploy), or consists of two (standup). */
function isOrdinary(word: string, ordinary: ReadonlySet<string>): boolean {
  if (endings.some((ending) => ordinary.has(word + ending))) return true;
  for (let at = firstPartMin; at <= word.length - lastPartMin; at++)
    if (ordinary.has(word.slice(0, at)) && ordinary.has(word.slice(at))) return true;
  return false;
}

/** Whether a word is a name of people that may have another meaning: Smith, Mark, Paris. */
export const isListedName = (word: string) => wordLists().names.has(word.toLowerCase());

/** In lower case. */
interface WordLists {
  /** Given names that mean nothing else. */
  readonly given: ReadonlySet<string>;
  /** Other names: Smith; Mark and Paris, which have another meaning. */
  readonly names: ReadonlySet<string>;
  readonly ordinary: ReadonlySet<string>;
}

let lists: WordLists | undefined;

/** Reads the file at the first label. */
function wordLists(): WordLists {
  if (lists) return lists;
  const text = readFileSync(new URL('../../../models/language-en/labels.txt', import.meta.url), 'utf8');
  const [given, names, ordinary] = text.split('\n').map((line) => new Set(line.split(' ')));
  lists = { given, names, ordinary };
  return lists;
}
