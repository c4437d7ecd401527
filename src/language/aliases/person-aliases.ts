import type { AliasVerdict } from './verdict.ts';

/** Short forms of given names, each with its full names. */
const nicknames =
  'mel:melanie,melissa|jon:jonathan,jonas|mike:michael|kate:katherine,kathryn,katharina|katie:katherine|sam:samuel,samantha|rob:robert|bob:robert|bobby:robert|bill:william|will:william|liz:elizabeth|beth:elizabeth|dave:david|dan:daniel|danny:daniel|tom:thomas|tim:timothy|jim:james|joe:joseph|matt:matthew|nick:nicholas|alex:alexander,alexandra|steve:steven,stephen|chris:christopher,christina|tony:anthony|andy:andrew|ben:benjamin|ed:edward|greg:gregory|jen:jennifer|jenny:jennifer|jess:jessica|josh:joshua|ken:kenneth|larry:lawrence|meg:margaret,megan|maggie:margaret|pat:patrick,patricia|pete:peter|phil:philip|ray:raymond|rick:richard|dick:richard|ron:ronald|sue:susan|ted:theodore,edward|vicky:victoria|zach:zachary|abby:abigail|becky:rebecca|cathy:catherine|debbie:deborah|gabe:gabriel|hank:henry|jeff:jeffrey|kim:kimberly|nate:nathan,nathaniel|caro:caroline|tori:victoria|theo:theodore|fred:frederick|gus:augustus,gustavo|leo:leonard,leonardo|max:maximilian|sasha:alexander,alexandra|vik:viktor,vikram';
const longForms = new Map(
  nicknames.split('|').map((entry) => {
    const [short, long] = entry.split(':');
    return [short, new Set(long.split(','))] as const;
  }),
);
const title = /^(dr|mr|mrs|ms|prof|sir|herr|frau)\.?\s+/i;
const titleKinds = [/^(mr|sir|herr)\b/, /^(mrs|ms|frau)\b/] as const;
const genitive = /['’]s$/;

/**
 * Ignores titles and the genitive. Equal full names are the same person; a single part, a short form or an
 * initial may be.
 * Names are folded.
 */
export function judgePeople(first: string, second: string): AliasVerdict {
  if (titlesDiffer(first, second)) return 'no';
  const [a, b] = [barePerson(first), barePerson(second)];
  if (a === b) return 'same';
  const [short, long] = [a.split(/\s+/), b.split(/\s+/)].sort((x, y) => x.length - y.length);
  const longLast = long[long.length - 1];
  if (short.length === 1) {
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
