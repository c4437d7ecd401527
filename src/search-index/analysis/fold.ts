/**
 * ASCII needs no folding, nor does the punctuation that
 * editors insert by themselves; this matches all other text.
 */
const foldable = /[^\0-\x7f‘’“”–—…\u00a0]/;

/** ASCII folds to itself. */
const isAscii = /^[\0-\x7f]*$/;

/** Far beyond any orthography (Unicode's stream-safe limit); normalising longer runs takes quadratic time. */
const excessMarks = /(\p{M}{30})\p{M}+/gu;

const droppedRanges = [
  // Accents, mostly of Latin, Greek and Cyrillic.
  String.raw`\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f`,
  // Hebrew points.
  String.raw`\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7`,
  // Arabic tatweel, harakat, hamza above and below, Quranic marks.
  String.raw`\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed`,
  // Syriac points, Devanagari nukta.
  String.raw`\u0711\u0730-\u074a\u093c`,
  // Characters that only control joining, direction or looks, including the colour of emoji.
  String.raw`\u00ad\u061c\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f`,
  String.raw`\u{1f3fb}-\u{1f3ff}\u{e0000}-\u{e01ef}`,
];
const dropped = new RegExp(`[${droppedRanges.join('')}]`, 'gu');

/** Letters that Unicode does not decompose but people type without their stroke or in a related form. */
const sisters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ς: 'σ',
  Σ: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ٱ: 'ا',
  '\u0901': '\u0902',
  '\u02bc': "'",
  '\u2010': '-',
  '\u200b': ' ',
  '\ufeff': ' ',
};

/** Zeros of the sets of decimal digits that NFKD leaves unchanged; the other nine digits follow each. */
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
  0xf20, 0x1040, 0x1090, 0x17e0, 0x1810,
];

const replacements = new Map(Object.entries(sisters));
for (const zero of zeros) {
  for (let digit = 0; digit < 10; digit++) replacements.set(String.fromCharCode(zero + digit), `${digit}`);
}
const replaced = new RegExp(`[${[...replacements.keys()].join('')}]`, 'g');

export function needsFolding(text: string): boolean {
  return foldable.test(text);
}

/**
 * Folds text for comparing words: NFKC, no diacritics, ASCII digits. Case stays,
 * because it shows the words of an identifier. White space between words stays.
 */
export function fold(text: string): string {
  if (isAscii.test(text)) return text;
  return text
    .replace(excessMarks, '$1')
    .normalize('NFKD')
    .replace(dropped, '')
    .replace(replaced, (char) => replacements.get(char) ?? char)
    .normalize('NFC');
}

export interface FoldedText {
  readonly text: string;
  /** Start and end in the original text of each unit of the folded text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** No character combines with ASCII white space, so the folded pieces make up the folded text. */
const pieces = /[\t-\r ]+|[^\t-\r ]+/g;
/** A character with all that can combine with it: marks, half-width kana sounds, Hangul jamo. */
const clusters = /[\u1100-\u11ff\ud7b0-\ud7fb]+|.[\p{M}\u200c-\u200f\uff9e\uff9f\u1160-\u11ff]*/gsu;

function foldClusters(piece: string): { text: string; start: number; end: number }[] {
  return [...piece.matchAll(clusters)].map((match) => ({
    text: fold(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** `fold` with the original offsets of each unit. Much slower. */
export function foldWithOffsets(original: string): FoldedText {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = '';
  for (const match of original.matchAll(pieces)) {
    const piece = match[0];
    const folded = fold(piece);
    const found = foldClusters(piece);
    const exact = found.map((cluster) => cluster.text).join('') === folded;
    const origins = exact ? found : [{ text: folded, start: 0, end: piece.length }];
    for (const origin of origins) {
      for (let i = 0; i < origin.text.length; i++) {
        starts.push(match.index + origin.start);
        ends.push(match.index + origin.end);
      }
    }
    text += folded;
  }
  return { text, starts, ends };
}
