/** All control characters but tab and newline, and those that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A text of a user as a terminal may have it: no character of it moves the cursor or changes colours. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unprintable, '\ufffd');
}

/** Printable text on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}
