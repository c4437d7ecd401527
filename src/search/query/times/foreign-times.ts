import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';
import { type DateReader, french, german, spanish } from './chrono.ts';
import { monthsFrom, type NamedPeriod, startOfUnit } from './named-periods.ts';

type Groups = Readonly<Record<string, string | undefined>>;
type Span = Pick<NamedPeriod, 'from' | 'to' | 'isYearly'>;

/** Calendar units by the beginning of the word; in order, because "week-end" also begins like a week. */
const units = [
  { name: 'weekend', begins: /^(?:wochenende|week-end|fin de)/i, days: 2 },
  { name: 'week', begins: /^(?:woche|semain|semana)/i, days: 7 },
  { name: 'day', begins: /^(?:tag|jour|día)/i, days: 1 },
  { name: 'month', begins: /^(?:monat|mois|mes)/i, days: 30.4 },
  { name: 'quarter', begins: /^(?:quartal|trimestre)/i, days: 91 },
  { name: 'year', begins: /^(?:jahr|an|año)/i, days: 365.25 },
] as const;
const slackOf: Readonly<Record<string, number>> = { day: 1, week: 4, month: 15, year: 182 };
const next = /^(?:nächst|kommend|prochain|próxim)/i;
const current = /^(?:diese|cette|ce|est[ea])/i;

/** The language of the times in a text if it is certain: German, French or Spanish. */
export function languageOfTimes(text: string): TimeLanguage | undefined {
  return timeLanguages.find(
    ({ cue, doubtful }) => cue.test(text) || (doubtful?.day.test(text) && doubtful.words.test(text)),
  );
}

/** Times in a text of that language: days and dates with a month by chrono-node, the rest by own rules. */
export function foreignTimes(language: TimeLanguage, text: string, now: EpochMs): NamedPeriod[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const found: NamedPeriod[] = [];
  const add = (at: number, words: string, span: Span | undefined) => {
    const overlaps = found.some((each) => each.at < at + words.length && at < each.at + each.text.length);
    if (span && !overlaps) found.push({ at, text: words, ...span });
  };
  const all = (pattern: RegExp, read: (groups: Groups) => Span | undefined) => {
    for (const match of text.matchAll(pattern)) add(match.index, match[0], read(match.groups ?? {}));
  };
  for (const pattern of language.units) all(pattern, (groups) => calendarUnit(groups, now));
  all(language.recent, (groups) => counted(language, groups, (days) => [today - days, today + DAY_MS]));
  all(language.ago, (groups) =>
    counted(language, groups, (days, slack) => [today - days - slack, today - days + DAY_MS + slack]),
  );
  for (const { at, words, span } of datesOf(language, text, now)) add(at, words, span);
  all(language.weekday, ({ name }) => weekdayBefore(placeOf(language.weekdays, name), today));
  all(language.month, ({ name, year }) => {
    const month = { month: placeOf(language.months, name), length: 1 };
    const [from, to] = monthsFrom(month, now, year === undefined ? {} : { year: Number(year) });
    return { from, to, isYearly: year === undefined };
  });
  all(dayWords(language), ({ word }) => {
    const from = today + (language.days[word?.toLowerCase() ?? ''] ?? 0) * DAY_MS;
    return { from, to: from + DAY_MS };
  });
  return found;
}

function dayWords({ days }: TimeLanguage): RegExp {
  return new RegExp(`(?<![\\p{L}-])(?<word>${Object.keys(days).join('|')})(?![\\p{L}])`, 'giu');
}

/** Days of a month, as read by chrono-node; without a year, the latest such day in the past. */
function* datesOf({ readDates }: TimeLanguage, text: string, now: EpochMs) {
  for (const { index, text: words, start, end } of readDates(text, now)) {
    if (!start.isCertain('day') || !start.isCertain('month') || !/\d/.test(words)) continue;
    if (start.isCertain('weekday')) continue;
    const isYearly = !start.isCertain('year');
    const last = (time: EpochMs) => {
      const date = new Date(Math.floor(time / DAY_MS) * DAY_MS);
      if (isYearly && date.getTime() > now) date.setUTCFullYear(date.getUTCFullYear() - 1);
      return date.getTime();
    };
    const from = last(start.date().getTime());
    const to = end ? last(end.date().getTime()) : from;
    yield { at: index, words, span: to >= from ? { from, to: to + DAY_MS, isYearly } : undefined };
  }
}

function placeOf(names: readonly string[], name = ''): number {
  return names.findIndex((each) => new RegExp(`^${each}$`, 'iu').test(name));
}

function calendarUnit({ lead = '', unit = '' }: Groups, now: EpochMs): Span | undefined {
  const name = units.find(({ begins }) => begins.test(unit))?.name;
  if (name === undefined) return undefined;
  const steps = next.test(lead) ? 1 : current.test(lead) ? 0 : -1;
  const of = name === 'weekend' ? 'week' : name;
  const [from, to] = [startOfUnit(of, now, steps), startOfUnit(of, now, steps + 1)];
  return { from: name === 'weekend' ? to - 2 * DAY_MS : from, to };
}

/** Total days of a count such as "two weeks", and the tolerance of a counted time. */
function counted(
  { numbers }: TimeLanguage,
  { count = '', unit = '' }: Groups,
  toSpan: (days: number, slack: number) => [EpochMs, EpochMs],
): Span | undefined {
  const found = units.find(({ begins }) => begins.test(unit));
  const number = /^\d/.test(count) ? Number(count) : placeOf(numbers, count) + 1;
  if (!found || number === 0) return undefined;
  const days = Math.round(number * found.days) * DAY_MS;
  const [from, to] = toSpan(days, (slackOf[found.name] ?? 0) * DAY_MS);
  return { from, to };
}

/** The last such weekday before today. */
function weekdayBefore(weekday: number, today: EpochMs): Span {
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7;
  return { from: today - back * DAY_MS, to: today - (back - 1) * DAY_MS };
}

/** Time expressions of a language other than English. */
export interface TimeLanguage {
  /** Matches a text that is in this language and cannot be English. */
  readonly cue: RegExp;
  /**
   * A word for a day that is also a name or a word of another
   * language, and words of which one must accompany it.
   */
  readonly doubtful?: { readonly day: RegExp; readonly words: RegExp };
  readonly readDates: DateReader;
  /** Days relative to today, by word. */
  readonly days: Readonly<Record<string, number>>;
  /** With groups `lead` and `unit`. */
  readonly units: readonly RegExp[];
  /** "Two weeks ago" and "the last two weeks", with groups `count` and `unit`. */
  readonly ago: RegExp;
  readonly recent: RegExp;
  /** With the group `name`; `weekdays` begin on Sunday. */
  readonly weekday: RegExp;
  readonly weekdays: readonly string[];
  /** With groups `name` and `year`. */
  readonly month: RegExp;
  readonly months: readonly string[];
  /** Number words in order, from one. */
  readonly numbers: readonly string[];
}

const end = '(?![\\p{L}\\p{N}])';
const begin = '(?<![\\p{L}\\p{N}])';
const pattern = (source: string) => new RegExp(`${begin}(?:${source})${end}`, 'giu');
const list = (words: string) => words.split(' ');
const year = '(?<year>(?:19|20)\\d\\d)';

const de = {
  weekdays: list('sonntag montag dienstag mittwoch donnerstag freitag samstag'),
  months: list('januar februar märz april mai juni juli august september oktober november dezember'),
  numbers: list('ein(?:em|er|en|e)? zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'),
  unit: '(?<unit>tag(?:en?)?|wochen?|wochenende|monat(?:en?)?|quartal(?:en?)?|jahr(?:en?)?)',
};
const fr = {
  weekdays: list('dimanche lundi mardi mercredi jeudi vendredi samedi'),
  months: list(
    'janvier f[ée]vrier mars avril mai juin juillet ao[ûu]t septembre octobre novembre d[ée]cembre',
  ),
  numbers: list('une? deux trois quatre cinq six sept huit neuf dix onze douze'),
  unit: '(?<unit>jours?|semaines?|week-ends?|mois|trimestres?|ans?|années?)',
};
const es = {
  weekdays: list('domingo lunes martes miércoles jueves viernes sábado'),
  months: list('enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'),
  numbers: list('una? dos tres cuatro cinco seis siete ocho nueve diez once doce'),
  unit: '(?<unit>días?|semanas?|fin de semana|mes(?:es)?|trimestres?|años?)',
};
const count = ({ numbers }: { readonly numbers: readonly string[] }) =>
  `(?<count>\\d{1,3}|${numbers.join('|')})`;
const nameOf = (names: readonly string[]) => `(?<name>${names.join('|')})`;

const cueOf = (...phrases: readonly string[]) => new RegExp(`${begin}(?:${phrases.join('|')})${end}`, 'iu');

/** Endings included. */
const deLead = '(?:letzte|vergangene|vorige|diese|nächste|kommende)[nrsm]?';
const inGerman: TimeLanguage = {
  cue: cueOf(
    'gestern|vorgestern|heute',
    `${deLead}\\s(?:woche|wochenende|monat|quartal|jahr|\\p{L}{3,9}tag|mittwoch)`,
    `(?:letzte|vergangene)n\\s(?:\\d{1,3}|\\p{L}{3,6})\\s(?:tage?n?|wochen?|monate?n?|jahre?n?)`,
    'vor\\s(?:\\d{1,3}|\\p{L}{3,6})\\s(?:tag|woche|monat|jahr)(?:e?n)?',
    'im\\s(?:januar|februar|märz|mai|juni|juli|oktober|dezember)',
    '\\d{1,2}\\.\\s?(?:januar|februar|märz|mai|juni|juli|oktober|dezember)',
    `(?:am|vom|seit)\\s\\d{1,2}\\.\\s?(?:${de.months.join('|')})`,
    'am\\s(?:sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag)',
  ),
  readDates: german,
  days: { vorgestern: -2, gestern: -1, heute: 0 },
  units: [
    pattern(
      '(?<lead>letzte|vergangene|vorige|diese|nächste|kommende)[nrsm]?\\s(?<unit>woche|wochenende|monat|quartal|jahr)',
    ),
  ],
  ago: pattern(`vor\\s${count(de)}\\s${de.unit}`),
  recent: pattern(`(?:den\\s|die\\s)?(?:letzten|vergangenen)\\s${count(de)}\\s${de.unit}`),
  weekday: pattern(`(?:am|letzten|vergangenen|diesen)\\s${nameOf(de.weekdays)}`),
  weekdays: de.weekdays,
  month: pattern(`(?:im|seit|letzten)\\s${nameOf(de.months)}(?:\\s${year})?`),
  months: de.months,
  numbers: de.numbers,
};

const frMonths = 'janvier|f[ée]vrier|avril|juin|juillet|ao[ûu]t|septembre|octobre|novembre|d[ée]cembre';
const inFrench: TimeLanguage = {
  cue: cueOf(
    "avant-hier|aujourd[’']hui",
    "(?:la|le|l[’'])\\s?(?:semaine|mois|trimestre|an|année|week-end)\\s(?:derni[eè]re?|pass[ée]e?|prochaine?)",
    '(?:cette|ce)\\s(?:semaine|mois|trimestre|année|week-end)',
    'il\\sy\\sa\\s(?:\\d{1,3}|\\p{L}{2,6})\\s(?:jours?|semaines?|mois|ans?|années?)',
    '(?:\\d{1,3}|\\p{L}{2,6})\\sderni(?:ers|ères)\\s(?:jours|semaines|mois|ans|années)',
    `(?:${fr.weekdays.join('|')})\\s(?:dernier|passé)`,
    `(?:en|\\d{1,2}|1er)\\s(?:${frMonths})`,
    'le\\s(?:\\d{1,2}|1er)\\s(?:mars|mai)',
  ),
  doubtful: {
    day: cueOf('hier'),
    words: cueOf("qu[’']\\p{L}+", "j[’']\\p{L}+", 'que|quoi|nous|où|quand|qui|fait|passé'),
  },
  readDates: french,
  days: { 'avant-hier': -2, hier: -1, 'aujourd’hui': 0, "aujourd'hui": 0 },
  units: [
    pattern(
      "(?:la\\s|le\\s|l[’'])(?<unit>semaine|mois|trimestre|an|année|week-end)\\s(?<lead>derni[eè]re?|pass[ée]e?|prochaine?)",
    ),
    pattern('(?<lead>cette|ce)\\s(?<unit>semaine|mois|trimestre|année|week-end)'),
  ],
  ago: pattern(`il\\sy\\sa\\s${count(fr)}\\s${fr.unit}`),
  recent: pattern(`(?:les\\s|des\\s|ces\\s)?${count(fr)}\\sderni(?:ers|ères)\\s${fr.unit}`),
  weekday: pattern(`${nameOf(fr.weekdays)}\\s(?:dernier|passé)`),
  weekdays: fr.weekdays,
  month: pattern(`(?:en|depuis)\\s${nameOf(fr.months)}(?:\\s${year})?`),
  months: fr.months,
  numbers: fr.numbers,
};

const esLead = 'pasad[oa]|próxim[oa]';
const inSpanish: TimeLanguage = {
  cue: cueOf(
    'anteayer',
    `(?:la|el)\\s(?:semana|mes|trimestre|año|fin\\sde\\ssemana)\\s(?:${esLead})`,
    'est[ea]\\s(?:semana|mes|trimestre|año|fin\\sde\\ssemana)',
    'hace\\s(?:\\d{1,3}|\\p{L}{2,6})\\s(?:días?|semanas?|mes(?:es)?|años?)',
    'últim[oa]s\\s(?:\\d{1,3}|\\p{L}{2,6})\\s(?:días|semanas|meses|años)',
    `el\\s(?:${es.weekdays.join('|')})`,
    `\\d{1,2}\\sde\\s(?:${es.months.join('|')})`,
    `en\\s(?:${es.months.join('|')})`,
  ),
  doubtful: {
    day: cueOf('ayer|hoy'),
    words: cueOf('qué|quién|cuándo|dónde|cómo|hice|hicimos|pasó|que|fue'),
  },
  readDates: spanish,
  days: { anteayer: -2, ayer: -1, hoy: 0 },
  units: [
    pattern(`(?:la|el)\\s(?<unit>semana|mes|trimestre|año|fin de semana)\\s(?<lead>${esLead})`),
    pattern('(?<lead>est[ea])\\s(?<unit>semana|mes|trimestre|año|fin de semana)'),
  ],
  ago: pattern(`hace\\s${count(es)}\\s${es.unit}`),
  recent: pattern(`(?:los\\s|las\\s)?últim[oa]s\\s${count(es)}\\s${es.unit}`),
  weekday: pattern(`el\\s${nameOf(es.weekdays)}(?:\\spasado)?`),
  weekdays: es.weekdays,
  month: pattern(`en\\s${nameOf(es.months)}(?:\\s(?:de\\s|del\\s)?${year})?`),
  months: es.months,
  numbers: es.numbers,
};

const timeLanguages: readonly TimeLanguage[] = [inGerman, inFrench, inSpanish];
