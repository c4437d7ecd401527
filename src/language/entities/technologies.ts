import type { LanguageModel } from '../language-model.ts';
import { stopWords } from '../text/plain-words.ts';
import type { MentionDraft } from './mention-draft.ts';

const wordsMax = 3;
/** Technologies whose names are also ordinary words. */
const ordinary = new Set(
  'go express node rest spring swift dart julia ruby rust crystal shell make processing scratch action actions arch atom amp as agile assembly alloy apple react less next unity box chef puppet salt vault consul nomad flask bottle falcon phoenix elm nim pure pike io c d r q e j k p b f'.split(
    ' ',
  ),
);
/** Words before a technology. */
const context =
  /^(use|uses|using|used|with|in|to|from|on|into|via|for|called|run|runs|running|needs|install|installed|upgrade|bump|than|over|under|against|and|,|or|not|do|prefers|n't|the|our|once)$/i;
const strongContext = /^(use|using|with|in)$/i;
const version = /^v?\d+(\.\d+)*$/;
const dottedVersion = /^v?\d+\.\d+(\.\d+)*$/;
const number = /^\d+$/;
const unit = /^[KMGTP]i?B$/;
const singleLetter = /^[CR]$/;
const nounLike = /^(NN|FW|JJ)/;
const properNoun = /^NNP/;
const capital = /[A-Z]/;
const twoSigns = /[A-Z0-9.+#].*[A-Z0-9.+#]/;
const digit = /\d/;

/** Words and forms of texts about software. */
const technicalWord =
  /\b(?:api|apis|backend|bug|bugs|build|builds|cache|cached|ci|cli|cluster|code|codebase|commits?|compiled?|compiler|config|containers?|cpu|cron|css|csv|dashboard|databases?|db|debug|deploy|deploys|deployed|deployment|dependency|dependencies|docker|endpoints?|env|frontend|framework|git|html|https?|json|kernel|latency|linter|logs|merged?|middleware|migrations?|npm|parser|plugin|prod|programming|query|queries|queue|ram|refactor|repo|repository|runtime|schema|scripts?|sdk|servers?|software|sql|ssh|staging|tests?|tokens|typescript|ui|upgraded?|url|vm|webhook|yaml)\b/i;
const technicalForm =
  /\w\(\)|[a-z]\w*_\w|\b[a-z]+[A-Z]\w|\w\.(?:ts|js|py|rs|go|md|toml|json)\b|(?:^|\s)(?:[\w.]+\/)+\w|`[^`\n]+`|\bv\d+\b|\b\d+\.\d+\.\d+/;

/** Whether a text is about software, where ordinary words name programs: `bun`, `Salt`, `cucumber`. */
export const isTechnical = (text: string) => technicalWord.test(text) || technicalForm.test(text);

/** Tokens that may be a technology, as the rules see them. */
interface Candidate {
  readonly name: string;
  readonly key: string;
  readonly isLower: boolean;
  /** Also an ordinary word, a person's or a place's name. */
  readonly isAmbiguous: boolean;
  readonly isEnglish: boolean;
  readonly isProper: boolean;
  readonly isNoun: boolean;
  readonly hasContext: boolean;
  readonly hasVersion: boolean;
  readonly before: string;
  readonly isFirst: boolean;
  readonly isPhrase: boolean;
}

/** Finds listed technologies, the longest names first. */
export function findTechnologies(draft: MentionDraft, model: LanguageModel): void {
  const { words } = draft.sentence;
  for (let i = 0; i < words.length; i++)
    for (let n = Math.min(wordsMax, words.length - i); n >= 1; n--) {
      if (!draft.isFree(i, i + n)) continue;
      const certainty = certaintyOf(draft, model, i, i + n);
      if (certainty === 0) continue;
      draft.put(i, i + n, 'TECHNOLOGY', 'list', certainty);
      break;
    }
}

/** 0 if the words are no technology. */
function certaintyOf(draft: MentionDraft, model: LanguageModel, from: number, to: number): number {
  const { words } = draft.sentence;
  const name = to === from + 1 ? words[from] : words.slice(from, to).join(' ');
  const key = name.toLowerCase();
  const canonical = model.lexicon.technologies.get(key);
  const brand = model.names.brands.get(key);
  if (canonical === undefined && brand === undefined) return 0;
  if (!mayName(name) || !isOfSoftware(draft, model, name)) return 0;
  const candidate = look(draft, model, from, to, name);
  if (stopWords.has(key) && !candidate.hasVersion) return 0;
  const spanType = draft.spanAt(from)?.type;
  const isNameOfOther = spanType === 'PER' || spanType === 'LOC';
  if (candidate.isAmbiguous && isNameOfOther) return 0;
  if (canonical !== undefined) {
    const isOurs = model.lexicon.ownTechnologies.has(key) && mayBeOurs(candidate);
    return (isOurs ? isOwn(candidate) : isListed(candidate, canonical)) ? 0.85 : 0;
  }
  return isBrand(candidate, brand) && !isNameOfOther ? 0.6 : 0;
}

/** Shorter names in lower case are words as well: `bun`. */
const unmistakableMin = 4;

const mayName = (name: string) =>
  !number.test(name) && !unit.test(name) && (name.length > 1 || singleLetter.test(name));

/** Whether a listed name can be one of a program in this text: of our own list and no ordinary word, or in a text about software. */
function isOfSoftware({ isTechnical }: MentionDraft, { lexicon }: LanguageModel, name: string): boolean {
  const key = name.toLowerCase();
  if (isTechnical || !lexicon.ownTechnologies.has(key)) return isTechnical;
  return name === key ? key.length >= unmistakableMin : !lexicon.english.has(key);
}

function look(draft: MentionDraft, model: LanguageModel, from: number, to: number, name: string): Candidate {
  const { words, tags } = draft.sentence;
  const { names, lexicon } = model;
  const key = name.toLowerCase();
  const before = words[from - 1] ?? '';
  return {
    name,
    key,
    isLower: name === key,
    isAmbiguous:
      ordinary.has(key) || names.givenNames.has(key) || names.places.has(key) || names.familyNames.has(key),
    isEnglish: lexicon.english.has(key),
    isProper: properNoun.test(tags[from]),
    isNoun: nounLike.test(tags[from]),
    hasContext: context.test(before),
    hasVersion: version.test(words[to] ?? ''),
    before,
    isFirst: from === 0,
    isPhrase: to > from + 1,
  };
}

/** Whether the rules of our own list apply. */
function mayBeOurs({
  key,
  isLower,
  isEnglish,
  isFirst,
  isProper,
  hasContext,
  hasVersion,
}: Candidate): boolean {
  if (hasVersion || (!isEnglish && (!ordinary.has(key) || key.length > 5))) return true;
  return !isLower && (hasContext || (!isFirst && isProper));
}

const isOwn = ({ key, isLower, isEnglish, hasVersion, before }: Candidate) =>
  !isLower || !(isEnglish || ordinary.has(key)) || hasVersion || strongContext.test(before);

function isListed(candidate: Candidate, canonical: string): boolean {
  const { name, key, isLower, isAmbiguous, isEnglish, isProper, isNoun, hasContext, isPhrase } = candidate;
  // The capital of the first word of a sentence means nothing: `Just`, `Cool`.
  const isPlainStart =
    isEnglish && candidate.isFirst && !isPhrase && !candidate.hasVersion && !twoSigns.test(name);
  if (isPlainStart) return false;
  if (isPhrase && !capital.test(name)) return false;
  if (isLower) return !isAmbiguous && isNoun && (key.length > 3 || digit.test(key)) && !isEnglish;
  if (isAmbiguous) return canonical === name && hasContext && isProper;
  return isProper || twoSigns.test(name) || canonical === name;
}

const isBrand = ({ name, key, isLower, isAmbiguous, isProper, hasContext }: Candidate, brand?: string) =>
  !isLower && brand === name && !isAmbiguous && isProper && key.length > 2 && hasContext;

const capitalised = /^\p{Lu}\w+$/u;
/** Capitalised words before a number that name no technology. */
const numberedThing =
  /^(Version|Release|Section|Chapter|Figure|Table|Step|Item|Part|Python|The|API|Kernel|SDK|CLI|At|In|On|By|Since|Before|After|Until|From|To)$/;
/** Words after a number that is no version. */
const measure =
  /^(?:%|->|[kmgt]?i?b|k?g|[kcm]?m|m?s|h|min|kwh?|percent|million|thousand|times|euros?|dollars?)$/i;
const hyphenated = /^[a-z]+(-[a-z0-9]+)+$/;
const dependencyVerb = /^(bump|install|upgrade|use|using|drops?|needs|against|switched|migrated)$/i;
const ordinaryParts = ({ lexicon }: LanguageModel, word: string) =>
  word.split('-').every((part) => lexicon.english.has(part));
const packageName = /^[a-z]+\d*(-[a-z0-9]+)+$/;

/**
 * Finds unknown names before a version number, and hyphenated names after `bump`, `use` and similar verbs.
 */
export function findVersioned(draft: MentionDraft, model: LanguageModel): void {
  const { words } = draft.sentence;
  for (let i = 0; i + 1 < words.length; i++) {
    const isName = (capitalised.test(words[i]) && !numberedThing.test(words[i])) || hyphenated.test(words[i]);
    const isVersion = dottedVersion.test(words[i + 1]) && !measure.test(words[i + 2] ?? '');
    if (isName && isVersion && draft.isTechnical) draft.put(i, i + 1, 'TECHNOLOGY', 'pattern', 0.75);
    const isPackage = packageName.test(words[i + 1]) && !ordinaryParts(model, words[i + 1]);
    if (dependencyVerb.test(words[i]) && isPackage) draft.put(i + 1, i + 2, 'TECHNOLOGY', 'pattern', 0.6);
  }
}
