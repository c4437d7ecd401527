/** Texts up to this length, about 400 words, have one vector. */
const wholeLengthMax = 2400;
const partLengthMax = 1200;

/**
 * The text itself; for a long text, also parts of about 200 words that overlap by a quarter, cut at spaces.
 * @param longestInput UTF-16 units that the model reads as one;
 * longer texts are split, into parts of at most this length
 */
export function textParts(text: string, longestInput: number): string[] {
  if (text.length <= Math.min(wholeLengthMax, longestInput)) return [text];
  const parts = [text];
  const length = Math.min(partLengthMax, longestInput);
  const step = Math.ceil(length * 0.75);
  for (let from = 0; from < text.length; from += step) {
    const start = from === 0 ? 0 : text.indexOf(' ', from) + 1 || from;
    parts.push(text.slice(start, start + length));
    if (start + length >= text.length) break;
  }
  return parts;
}
