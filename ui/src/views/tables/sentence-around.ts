interface Range {
  readonly start: number;
  readonly end: number;
}

/** What is shown of a text on each side of the words that state a fact, in UTF-16 units. */
const around = 160;

/** The words of a place in a text and some around them, from a space on; without a place, its beginning. */
export function sentenceAround(
  content: string,
  { start, end }: Partial<Range>,
): { readonly text: string; readonly hits: readonly Range[] } {
  if (start === undefined || end === undefined) return { text: cut(content, 0, 2 * around), hits: [] };
  const from = Math.max(0, start - around);
  const space = from === 0 ? -1 : content.indexOf(' ', from);
  const first = from === 0 ? 0 : space >= 0 && space < start ? space + 1 : start;
  const before = first > 0 ? '… ' : '';
  const shift = before.length - first;
  const text = before + cut(content, first, end + around);
  return { text, hits: [{ start: start + shift, end: end + shift }] };
}

function cut(content: string, first: number, last: number): string {
  if (last >= content.length) return content.slice(first);
  const space = content.lastIndexOf(' ', last);
  return `${content.slice(first, space > first ? space : last)} …`;
}
