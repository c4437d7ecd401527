/** Texts up to about 400 words have one vector. */
const wholeLengthMax = 2400;
const partLength = 1200;
const partStep = 900;

/** The text itself, then, of a long one, parts of about 200 words that overlap by a quarter, cut at spaces. */
export function textParts(text: string): string[] {
  if (text.length <= wholeLengthMax) return [text];
  const parts = [text];
  for (let from = 0; from < text.length; from += partStep) {
    const start = from === 0 ? 0 : text.indexOf(' ', from) + 1 || from;
    parts.push(text.slice(start, start + partLength));
    if (start + partLength >= text.length) break;
  }
  return parts;
}
