import { lemmaOf } from '../facts/lemma.ts';
import type { Token } from '../text/tokens.ts';
import { canonicalOf, stopWords } from './content-words.ts';

/** A number, time, version or day in a sentence, comparable with others of its kind. */
export interface Value {
  /** `duration`, `size`, `percent`, `clock`, `date`, `version node`, `count row`; `number` without a unit. */
  readonly kind: string;
  /** Equal values of one kind have equal amounts, such as those of `2 minutes` and `120 s`. */
  readonly amount: string;
  /** Unit after `per`, if any. */
  readonly per: string | undefined;
  /** Positions of its tokens in the sentence; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

const seconds = new Map<string, number>(
  [
    [0.001, 'ms millisecond'],
    [1, 's sec second'],
    [60, 'm min minute'],
    [3600, 'h hr hour'],
    [86_400, 'd day'],
    [604_800, 'w week'],
    [2_592_000, 'month'],
    [31_536_000, 'year'],
  ].flatMap(([size, names]) => `${names}`.split(' ').map((name) => [name, Number(size)] as const)),
);
const bytes = new Map<string, number>([...'kmgt'].map((sign, i) => [`${sign}b`, 1024 ** (i + 1)] as const));
const money = new Map(
  Object.entries({
    '€': 'eur',
    euro: 'eur',
    eur: 'eur',
    $: 'usd',
    dollar: 'usd',
    usd: 'usd',
    '£': 'gbp',
  }).concat(['pound', 'gbp', 'chf', 'franc', 'crown', 'zloty', 'yen'].map((name) => [name, name])),
);
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const month =
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)$/i;
const weekday = /^(mon|tues|wednes|thurs|fri|satur|sun)days?$/i;
const ordinals = 'zeroth first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const ordinal = /^(\d+)(?:st|nd|rd|th)$/;
const number = /^v?(\d+(?:[.,]\d+)*)(%|ms|kb|mb|gb|s|m|h|k|d)?$/i;
const thousands = /,(?=\d{3})/g;
const clock = /^\d{1,2}:\d{2}$/;
const halfOfDay = /^(am|pm|o'clock)$/i;
const isoDate = /^\d{4}$/;
const every = /^(per|a|an|each|every)$/i;
/** Words before a number that make it a name, not a value. */
const numbered =
  /^(phase|room|ticket|step|chapter|release|sprint|team|line|gate|terminal|platform|floor|track|issue|part|level|page|section|week|day|table|figure|season|episode|apartment|flat|house|number|no|option|grade|class)$/i;
const port = /\bport( is| :)?$/i;
const named = /^\p{Lu}[\p{L}.+#]*$/u;
const attempt = /^(time|attempt|try|retry|tries)$/;
const letters = /^\p{Ll}[\p{L}-]+$/u;
const unitLengthMin = 3;

/** The values of a sentence, in order; they do not overlap. */
export function valuesIn(tokens: readonly Token[]): Value[] {
  const words = tokens.map(({ word }) => word);
  const values: Value[] = [];
  for (let at = 0; at < words.length; at++) {
    const value = dateAt(words, at) ?? clockAt(words, at) ?? quantityAt(words, at);
    if (!value) continue;
    values.push({ ...value, per: perAt(words, value.to) });
    at = value.to - 1;
  }
  return values;
}

type Found = Omit<Value, 'per'>;

function dateAt(words: readonly string[], at: number): Found | undefined {
  const word = words[at];
  if (weekday.test(word))
    return {
      kind: 'weekday',
      amount: word.toLowerCase().replace(/^(.*)s$/, 'every $1'),
      from: at,
      to: at + 1,
    };
  if (isoDate.test(word) && words[at + 1] === '-' && words[at + 3] === '-')
    return {
      kind: 'date',
      amount: `${Number(words[at + 2])}-${Number(words[at + 4])}`,
      from: at,
      to: at + 5,
    };
  const day = dayOf(word);
  const next = words[at + 1]?.toLowerCase() === 'of' || words[at + 1] === '.' ? at + 2 : at + 1;
  if (day !== undefined && month.test(words[next] ?? ''))
    return {
      kind: 'date',
      amount: `${monthOf(words[next])}-${day}`,
      from: at,
      to: withYear(words, next + 1),
    };
  const after = dayOf(words[at + 1] ?? '');
  if (month.test(word) && after !== undefined)
    return { kind: 'date', amount: `${monthOf(word)}-${after}`, from: at, to: withYear(words, at + 2) };
  const isDayOfMonth = /^(the|on|by)$/i.test(words[at - 1] ?? '') && !isNounLike(words[at + 1] ?? '');
  const order = ordinal.exec(word)?.[1] ?? ordinals.indexOf(word.toLowerCase());
  return isDayOfMonth && Number(order) > 0
    ? { kind: 'day of the month', amount: `${order}`, from: at, to: at + 1 }
    : undefined;
}

const isNounLike = (word: string) => letters.test(word) && !stopWords.has(word);

function dayOf(word: string): number | undefined {
  const day = Number(ordinal.exec(word)?.[1] ?? (/^\d{1,2}$/.test(word) ? word : Number.NaN));
  return day >= 1 && day <= 31 ? day : undefined;
}

const monthOf = (word: string) => months.indexOf(word.slice(0, 3).toLowerCase()) + 1;

const withYear = (words: readonly string[], at: number) => (isoDate.test(words[at] ?? '') ? at + 1 : at);

function clockAt(words: readonly string[], at: number): Found | undefined {
  const isHalf = halfOfDay.test(words[at + 1] ?? '');
  const hour = Number(canonicalOf(words[at].toLowerCase()));
  const isHour = Number.isInteger(hour) && hour >= 0 && hour <= 24;
  const isSaidAt = /^at$/i.test(words[at - 1] ?? '') && !letters.test(words[at + 1] ?? '');
  if (!clock.test(words[at]) && !(isHour && (isHalf || isSaidAt))) return undefined;
  const [hours, minutes = '0'] = words[at].includes(':') ? words[at].split(':') : [`${hour}`];
  const isAfternoon = words[at + 1]?.toLowerCase() === 'pm' && Number(hours) < 12;
  const amount = (Number(hours) + (isAfternoon ? 12 : 0)) * 60 + Number(minutes);
  return { kind: 'clock', amount: `${amount}`, from: at, to: at + (isHalf ? 2 : 1) };
}

function quantityAt(words: readonly string[], at: number): Found | undefined {
  const found = number.exec(canonicalOf(words[at].toLowerCase()));
  if (!found) return undefined;
  const [, digits, suffix] = found;
  const amount = digits.replace(thousands, '');
  const of = (kind: string, size = 1, to = at + 1, from = at): Found => ({
    kind,
    amount: size === 1 ? amount : `${Number((Number(amount) * size).toPrecision(12))}`,
    from,
    to,
  });
  const before = words[at - 1] ?? '';
  const currency = money.get(before);
  if (currency) return of(`money ${currency}`, 1, at + 1, at - 1);
  const place = words[at + 1] === '-' ? at + 2 : at + 1;
  const unit = unitOf(suffix ?? words[place] ?? '');
  if (unit) return of(unit.kind, unit.size, suffix === undefined ? place + 1 : at + 1);
  if (port.test(words.slice(Math.max(0, at - 2), at).join(' '))) return of('port');
  if (numbered.test(before)) return undefined;
  const noun = lemmaOf((words[place] ?? '').toLowerCase());
  const isCounted = letters.test(words[place] ?? '') && noun.length >= unitLengthMin && !stopWords.has(noun);
  if (isCounted && !isAdverb(noun)) return of(`count ${attempt.test(noun) ? 'try' : noun}`, 1, place + 1);
  return named.test(before) && !stopWords.has(before.toLowerCase())
    ? of(`version ${canonicalOf(before.toLowerCase())}`, 1, at + 1, at - 1)
    : of('number');
}

const isAdverb = (word: string) =>
  /ly$|^(already|instead|because|per|with|after|before|since|until)$/.test(word);

function unitOf(word: string): { readonly kind: string; readonly size: number } | undefined {
  const unit = /^[A-Z]+$/i.test(word) ? word.toLowerCase().replace(/(?<=..)s$/, '') : word;
  if (/^(%|percent|pct)$/.test(unit)) return { kind: 'percent', size: 1 };
  const time = seconds.get(unit);
  if (time) return { kind: 'duration', size: time };
  const size = bytes.get(unit);
  if (size) return { kind: 'size', size };
  const currency = money.get(unit);
  return currency ? { kind: `money ${currency}`, size: 1 } : undefined;
}

function perAt(words: readonly string[], at: number): string | undefined {
  const unit = words[at + 1] ?? '';
  return every.test(words[at] ?? '') && letters.test(unit) ? lemmaOf(unit.toLowerCase()) : undefined;
}
