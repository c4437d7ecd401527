import { foldName } from '../../lib/names.ts';
import type { EntityType } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import type { Lexicon } from '../models/word-lists.ts';

/** Whether two names of one type in one user's memories name the same thing. */
export function judgeAlias(
  model: LanguageModel,
  first: string,
  second: string,
  type: EntityType,
): AliasVerdict {
  const [a, b] = [foldName(first), foldName(second)];
  if (a === b) return 'same';
  switch (type) {
    case 'PERSON':
      return judgePeople(a, b);
    case 'ORGANIZATION':
      return judgeOrganisations(a, b);
    case 'LOCATION':
      return judgePlaces(a, b);
    case 'TECHNOLOGY':
      return judgeTechnologies(model.lexicon, a, b);
    case 'PROJECT':
      return isSameProject(first, second, a, b) ? 'same' : 'no';
    case 'FILE':
      return judgeFiles(a, b);
    case 'API_ENDPOINT':
      return judgeEndpoints(a, b);
    case 'COMPONENT':
      return first.replace(/\(\)$/, '') === second.replace(/\(\)$/, '') ? 'same' : 'no';
    default:
      return 'no';
  }
}

const camelCase = /[a-z][A-Z]/;

/**
 * `Project Atlas` is `Atlas`, `billing service` is `billing-service`; a camelCase identifier is no project.
 */
function isSameProject(first: string, second: string, a: string, b: string): boolean {
  const bare = (name: string) =>
    name
      .replace(/^project\s+/, '')
      .replace(/\s+project$/, '')
      .replace(/[\s_-]+/g, '-');
  return bare(a) === bare(b) && camelCase.test(first) === camelCase.test(second);
}

const title = /^(dr|mr|mrs|ms|prof|sir|herr|frau)\.?\s+/i;
const titleKinds = [/^(mr|sir|herr)\b/, /^(mrs|ms|frau)\b/] as const;
const genitive = /['’]s$/;

/**
 * Ignores titles and the genitive. Equal full names are the same person; a single part, a short form or an
 * initial may be.
 * Names are folded.
 */
function judgePeople(first: string, second: string): AliasVerdict {
  if (titlesDiffer(first, second)) return 'no';
  const [a, b] = [barePerson(first), barePerson(second)];
  if (a === b) return 'same';
  const [short, long] = [a.split(/\s+/), b.split(/\s+/)].sort((x, y) => x.length - y.length);
  const longLast = long[long.length - 1];
  if (short.length === 1) {
    if (short[0].replace('.', '').length === 1) return 'no';
    const isPart = short[0] === longLast || mayBeGiven(short[0], long[0]);
    return isPart ? 'maybe' : 'no';
  }
  const shortLast = short[short.length - 1];
  if (!mayBeGiven(short[0], long[0]) || !(shortLast === longLast || isInitial(shortLast, longLast)))
    return 'no';
  return short.some((part) => part.includes('.')) || short[0] !== long[0] ? 'maybe' : 'same';
}

/** True for `Mr. Reed` and `Mrs. Reed`. */
function titlesDiffer(first: string, second: string): boolean {
  const kindOf = (name: string) => titleKinds.findIndex((kind) => kind.test(name));
  const [a, b] = [kindOf(first), kindOf(second)];
  return a >= 0 && b >= 0 && a !== b;
}

const barePerson = (name: string) => name.replace(title, '').replace(genitive, '');

const mayBeGiven = (a: string, b: string) =>
  a === b || isInitial(a, b) || longForms.get(a)?.has(b) === true || longForms.get(b)?.has(a) === true;

/** Whether one name is the first letter of the other, with or without a dot. */
function isInitial(a: string, b: string): boolean {
  const [x, y] = [a.replace('.', ''), b.replace('.', '')];
  return (x.length === 1 && b.startsWith(x)) || (y.length === 1 && a.startsWith(y));
}

const suffix =
  /[,.]?\s+(inc|incorporated|corp|corporation|co|company|ltd|limited|llc|gmbh|ag|plc|s\.?a|se|kg|bv|oy|ab|group|holdings?)\.?$/i;
const unimportant = /^(of|the|and|for|de)$/;
const acronymMin = 3;

/**
 * Ignores legal forms. An acronym may be the same organisation; a longer name is another one. Names are
 * folded.
 */
function judgeOrganisations(first: string, second: string): AliasVerdict {
  if (bareName(first) === bareName(second)) return 'same';
  const [short, long] = first.length < second.length ? [first, second] : [second, first];
  return short.length >= acronymMin && short === acronymOf(long) ? 'maybe' : 'no';
}

function bareName(name: string): string {
  let bare = name;
  while (suffix.test(bare)) bare = bare.replace(suffix, '');
  return bare.replace(/^the\s+/, '').replace(/[\s.,-]+/g, '');
}

function acronymOf(name: string): string {
  const words = name.split(/[\s-]+/).filter((word) => !unimportant.test(word));
  return words.length >= 2 ? words.map((word) => word[0] ?? '').join('') : '';
}

/** Names are folded. */
function judgePlaces(a: string, b: string): AliasVerdict {
  return fullPlace(a) === fullPlace(b) ? 'same' : 'no';
}

function fullPlace(name: string): string {
  const bare = name.replace(/^the\s+/, '');
  const once = places.get(bare) ?? bare;
  return places.get(once) ?? once;
}

const version = /\s+v?\d+(\.\d+)*$/;
const script = /\.?js$/;

/**
 * Compares the canonical names of the lists; without one, ignores versions, `Apache` and signs between words.
 * Names are folded.
 */
function judgeTechnologies(lexicon: Lexicon, a: string, b: string): AliasVerdict {
  const [known, other] = [canonicalOf(lexicon, a), canonicalOf(lexicon, b)];
  if (known && other) return known.toLowerCase() === other.toLowerCase() ? 'same' : 'no';
  return bareTechnology(a) === bareTechnology(b) ? 'same' : 'no';
}

function canonicalOf({ technologies }: Lexicon, name: string): string | undefined {
  const bare = name.replace(version, '');
  return (
    technologies.get(bare) ??
    technologies.get(bare.replace(/[\s-]/g, '')) ??
    (script.test(bare) ? technologies.get(bare.replace(script, '')) : undefined)
  );
}

const bareTechnology = (name: string) =>
  name
    .replace(/^(apache|the)\s+/, '')
    .replace(version, '')
    .replace(/[\s._-]+/g, '');

/** File names that occur in every folder, so the name alone does not identify a file. */
const everywhere = /^(readme|index|main|license|changelog|package)\b/;

/** Ignores `./`. A bare file name may be the file of a longer path. Names are folded. */
function judgeFiles(first: string, second: string): AliasVerdict {
  const [a, b] = [first.replace(/^\.\//, ''), second.replace(/^\.\//, '')];
  if (a === b) return 'same';
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return !short.includes('/') && long.endsWith(`/${short}`) && !everywhere.test(short) ? 'maybe' : 'no';
}

const method = /^(get|post|put|patch|delete|head) /;

/**
 * Equates `:id` with `{id}` and ignores a final slash. Without a method, an endpoint may be the same. Names
 * are folded.
 */
function judgeEndpoints(first: string, second: string): AliasVerdict {
  const [a, b] = [plainEndpoint(first), plainEndpoint(second)];
  if (a === b) return 'same';
  if (method.test(a) && method.test(b)) return 'no';
  return a.replace(/^\w+ /, '') === b.replace(/^\w+ /, '') ? 'maybe' : 'no';
}

const plainEndpoint = (name: string) =>
  name
    .replace(/\/$/, '')
    .replace(/:(\w+)/g, '{$1}')
    .replace(/\{\w+\}/g, '{}');

/**
 * Whether two names name the same thing. `maybe` justifies a merge only if the user's data has exactly one
 * candidate; the merge is shown and can be undone.
 */
export type AliasVerdict = 'same' | 'maybe' | 'no';

/** Short forms of given names, each with its full names. */
const nicknames =
  'mel:melanie,melissa|jon:jonathan,jonas|mike:michael|kate:katherine,kathryn,katharina|katie:katherine|sam:samuel,samantha|rob:robert|bob:robert|bobby:robert|bill:william|will:william|liz:elizabeth|beth:elizabeth|dave:david|dan:daniel|danny:daniel|tom:thomas|tim:timothy|jim:james|joe:joseph|matt:matthew|nick:nicholas|alex:alexander,alexandra|steve:steven,stephen|chris:christopher,christina|tony:anthony|andy:andrew|ben:benjamin|ed:edward|greg:gregory|jen:jennifer|jenny:jennifer|jess:jessica|josh:joshua|ken:kenneth|larry:lawrence|meg:margaret,megan|maggie:margaret|pat:patrick,patricia|pete:peter|phil:philip|ray:raymond|rick:richard|dick:richard|ron:ronald|sue:susan|ted:theodore,edward|vicky:victoria|zach:zachary|abby:abigail|becky:rebecca|cathy:catherine|debbie:deborah|gabe:gabriel|hank:henry|jeff:jeffrey|kim:kimberly|nate:nathan,nathaniel|caro:caroline|tori:victoria|theo:theodore|fred:frederick|gus:augustus,gustavo|leo:leonard,leonardo|max:maximilian|sasha:alexander,alexandra|vik:viktor,vikram';
/** The full given names of each short form. */
const longForms = new Map(
  nicknames.split('|').map((entry) => {
    const [short, long] = entry.split(':');
    return [short, new Set(long.split(','))] as const;
  }),
);

/** Short forms and local names of places, folded. */
const places = new Map(
  Object.entries({
    nyc: 'new york city',
    'new york': 'new york city',
    ny: 'new york',
    uk: 'united kingdom',
    'great britain': 'united kingdom',
    us: 'united states',
    usa: 'united states',
    'u.s.': 'united states',
    'united states of america': 'united states',
    uae: 'united arab emirates',
    la: 'los angeles',
    sf: 'san francisco',
    munchen: 'munich',
    muenchen: 'munich',
    koln: 'cologne',
    wien: 'vienna',
    praha: 'prague',
    lisboa: 'lisbon',
    roma: 'rome',
    milano: 'milan',
    firenze: 'florence',
    venezia: 'venice',
    napoli: 'naples',
    torino: 'turin',
    warszawa: 'warsaw',
    moskva: 'moscow',
    geneve: 'geneva',
    bruxelles: 'brussels',
    sevilla: 'seville',
    'den haag': 'hague',
    kobenhavn: 'copenhagen',
    goteborg: 'gothenburg',
    deutschland: 'germany',
    espana: 'spain',
    italia: 'italy',
  }),
);
