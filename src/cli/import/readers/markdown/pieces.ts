import { partsOf } from './note-body.ts';

const heading = /^#{1,6}[ \t]/;

/** The text in pieces of at most `max` UTF-16 units, cut before headings; a section that is longer stays whole. */
export function piecesAtHeadings(text: string, max: number): string[] {
  if (text.length <= max) return [text];
  const pieces: string[] = [];
  let piece = '';
  for (const section of sectionsOf(text)) {
    if (piece !== '' && piece.length + section.length > max) {
      pieces.push(piece);
      piece = '';
    }
    piece += section;
  }
  return [...pieces, piece].filter((each) => each.trim() !== '');
}

/** Lines of code that begin with `#` are no headings. */
function* sectionsOf(text: string): Generator<string> {
  let section = '';
  for (const part of partsOf(text)) {
    for (const line of part.isCode ? [part.text] : part.text.split(/(?<=\n)/)) {
      if (!part.isCode && heading.test(line) && section !== '') {
        yield section;
        section = '';
      }
      section += line;
    }
  }
  if (section !== '') yield section;
}
