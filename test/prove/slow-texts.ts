import type { Random } from '../support/random.ts';

/** What parsers of dates, quotes, identifiers, lists, times, scopes and words look for. */
const atoms = [
  ...'1 12 2024 1st 2nd half an few several couple the a of and about around'.split(' '),
  ...'h m mo s d w hour hours days week weeks month year ago before after later last next this past'.split(
    ' ',
  ),
  ...'in on at from to since until by during within may march jan monday sun second today noon am pm'.split(
    ' ',
  ),
  ...'gestern letzte woche vor zwei tagen 3. mai hier que semaine dernière il y a jours ayer hace días pasada'.split(
    ' ',
  ),
  ...'1:30 1/2 1.5 2024-01-01 2024-01-01T09:30:00 .123456789 +01:00 T Z v1.2.3 7pm 8th 30m 24h 1mo'.split(
    ' ',
  ),
  ...'" “ ” « » \' ( ) [ ] { } < > \\ / . , : ; - – _ @ # + = * % & ? ! | ~ ^ $ `'.split(' '),
  ...'product:x team: key:value null true 1e9 0x10 {"a": [[ "a\\" // -- <a> %s =1+1 @x'.split(' '),
  ...'foo_bar getUserName HTTPServer src/app.ts a.b.c C++ C# .NET a@b.c http://x.y aaaaaaaa 11111111'.split(
    ' ',
  ),
  ...'é é́́ ß İ Σ ﷺ ſt ①② ٣ 日本 語 ひ한 ไทย क्ष 👩‍👩‍👧 🇩🇪 \u0301 \u200d \u00ad \ufeff \u202e'.split(' '),
];

const spaces = ['', ' ', '     ', '\t', '\n', '\r\n', ' \u00a0', '\u3000', ' , ', ', and ', '  \n  '];
const ends = ['', 'x', '!', '"', ' ', '\n', '\u0301', '日', '0', '-', '…'];

/**
 * Texts that made the service slow, or that do so to common mistakes in patterns. The first stopped a former version for
 * 35 s by its ten counted units, between which white space can be shared out in many ways.
 */
const knownSlow: readonly ((length: number) => string)[] = [
  (length) => `${'1 h     '.repeat(Math.min(10, length / 8))}x`,
  (length) => `${'1h '.repeat(length / 3)}x`,
  (length) => `gestern in ${'1 h     '.repeat(Math.min(10, length / 8))}x`,
  (length) => `avant-hier il y a ${'1 h     '.repeat(Math.min(10, length / 8))}x`,
  (length) => `anteayer en ${'1 h     '.repeat(Math.min(10, length / 8))}x`,
  (length) => 'qué hoy '.repeat(length / 8),
  (length) => `last ${'coupleh '.repeat(length / 8)}`,
  (length) => `${'a'.repeat(length - 1)}!`,
  (length) => `${' '.repeat(length - 1)}x`,
  (length) => `"${'a "'.repeat(length / 3)}`,
  (length) => '“'.repeat(length),
  (length) => `a${'\u0301'.repeat(length - 2)}b`,
  (length) => 'a.'.repeat(length / 2),
  (length) => `${'1'.repeat(length - 1)}ꞏ`,
  (length) => `${'aB'.repeat(length / 2)}`,
  (length) => `${','.repeat(length)}`,
  (length) => `${'日'.repeat(length)}`,
  (length) => 'ﷺ'.repeat(length),
  (length) => `${'in may 2020 '.repeat(length / 12)}`,
];

export const knownSlowCount = knownSlow.length;

/** The known slow text of that number, at most `lengthMax` UTF-16 units. */
export function knownSlowText(number: number, lengthMax: number): string {
  const make = knownSlow[number % knownSlow.length];
  return make ? wellFormed(make(Math.max(2, lengthMax)).slice(0, lengthMax)) : '';
}

/** One to five atoms, repeated with one or changing white space, and an end on which a match may fail. */
export function slowText(random: Random, lengthMax: number): string {
  const end = random.pick(ends);
  const length = Math.max(
    1,
    random.pick([40, 100, 500, 5_000, lengthMax].filter((each) => each <= lengthMax)),
  );
  const between = random.pick(spaces);
  const mixed = random.chance(0.3);
  const unit = Array.from({ length: random.int(1, 5) }, () => random.pick(atoms));
  let text = '';
  while (text.length < length - end.length) {
    for (const atom of unit) text += atom + (mixed ? random.pick(spaces) : between);
    if (text.length === 0) break;
  }
  return wellFormed((text.slice(0, length - end.length) + end).slice(0, lengthMax));
}

/** Cut texts may end in half a character, which no URL can hold. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])/g, '');
}
