/** All control characters except tab and newline, and characters that change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A user's text, safe for a terminal: none of its characters moves the cursor or changes colours. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unprintable, '\ufffd');
}

/** Printable text on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

const graphemes = new Intl.Segmenter();
/** Scripts whose characters take two columns, and pictures. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const plain = /^[\x20-\x7e]*$/;

function graphemeWidth(text: string): number {
  if (wide.test(text)) return 2;
  return noWidth.test(text) ? 0 : 1;
}

/** Columns that a text without control characters takes on a terminal. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text, or its beginning and `…` if it is wider than `widthMax` columns (1 at least). */
export function cutToWidth(text: string, widthMax: number): string {
  if (text.length <= widthMax / 2 || textWidth(text) <= widthMax) return text;
  let width = 0;
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > widthMax - 1) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Lines of at most `widthMax` columns, broken between words; a longer word has a line of its own. */
export function wrapText(text: string, widthMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer) > widthMax) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
