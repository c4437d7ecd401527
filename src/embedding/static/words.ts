const kinds = { letter: 1, space: 2, dropped: 3, mark: 4, punctuation: 5, ideograph: 6 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

const space = /[\t\n\r\p{Z}]/u;
const dropped = /[\ufffd\p{Cc}\p{Cf}\p{Co}]/u;
const punctuation = /[\p{P}!-/:-@[-`{-~]/u;
const mark = /\p{Mn}/u;

/** The blocks of BERT's BasicTokenizer. */
const ideographs: readonly (readonly [number, number])[] = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b820, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
];

function kindOf(code: number): Kind {
  const character = String.fromCodePoint(code);
  if (space.test(character)) return kinds.space;
  if (dropped.test(character)) return kinds.dropped;
  if (ideographs.some(([from, to]) => code >= from && code <= to)) return kinds.ideograph;
  if (punctuation.test(character)) return kinds.punctuation;
  return mark.test(character) ? kinds.mark : kinds.letter;
}

/** Only for speed: in such text words are runs of letters and digits, and all else but white space is punctuation. */
const plainAscii = /^[\t\n\r -~]*$/;
const asciiWords = /[a-z0-9]+|[^\sa-z0-9]/g;

/** Kinds of the characters below U+10000, found when first asked for. */
const known = new Uint8Array(0x10000);

function knownKindOf(code: number): Kind {
  if (code >= known.length) return kindOf(code);
  if (known[code] === 0) known[code] = kindOf(code);
  return known[code] as Kind;
}

/**
 * Words as BERT's uncased BasicTokenizer makes them: cleaned, ideographs alone, accents off, lower case, split at white
 * space and around punctuation. `text` holds no special tokens.
 */
export function bertWords(text: string): string[] {
  if (plainAscii.test(text)) return text.toLowerCase().match(asciiWords) ?? [];
  const cleaned = clean(text);
  // A letter under an accent is composed in one normal form and two characters in the other: only the latter tells.
  const decomposed = cleaned.normalize('NFD');
  const words: string[] = [];
  let word = '';
  const end = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const character of decomposed) {
    const kind = knownKindOf(character.codePointAt(0) ?? 0);
    if (kind === kinds.mark) continue;
    if (kind === kinds.letter || kind === kinds.ideograph) word += character.toLowerCase();
    else {
      end();
      if (kind === kinds.punctuation) words.push(character);
    }
  }
  end();
  return words;
}

function clean(text: string): string {
  let cleaned = '';
  for (const character of text) {
    const kind = knownKindOf(character.codePointAt(0) ?? 0);
    if (kind === kinds.space) cleaned += ' ';
    else if (kind === kinds.ideograph) cleaned += ` ${character} `;
    else if (kind !== kinds.dropped) cleaned += character;
  }
  return cleaned;
}
