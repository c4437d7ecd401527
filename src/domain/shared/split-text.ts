/** Ends of paragraphs, lines, sentences and words. */
const seams = ['\n\n', '\n', '. ', ' '];

/**
 * Parts of a text, each ending at the best seam of its second half; none of a blank text.
 * @param lengthMax of a part, in UTF-16 units
 */
export function splitText(text: string, lengthMax: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > lengthMax) {
    const end = endOfPart(rest, lengthMax);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') parts.push(rest);
  return parts.filter((part) => part !== '');
}

function endOfPart(text: string, lengthMax: number): number {
  for (const seam of seams) {
    const at = text.lastIndexOf(seam, lengthMax - seam.length);
    if (at >= lengthMax / 2) return at + seam.length;
  }
  // Between the halves of a character there is no place to cut.
  const isHalf = /[\ud800-\udbff]/.test(text[lengthMax - 1]);
  return isHalf ? lengthMax - 1 : lengthMax;
}
