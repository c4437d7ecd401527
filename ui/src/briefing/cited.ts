/** A part of a digest: text, or the number of a source that the text before it is from. */
export type CitedPart = { readonly text: string } | { readonly source: number };

/** Splits at `[3]`, but only at numbers of sources: a memory may say anything in brackets. */
export function citedParts(text: string, sources: number): CitedPart[] {
  const parts: CitedPart[] = [];
  let from = 0;
  for (const match of text.matchAll(/\[(\d{1,4})\]/g)) {
    const source = Number(match[1]);
    if (source < 1 || source > sources) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ source });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** The result of a stream of events. @throws Error with what the service said if it failed */
export function resultIn<T>(events: string): T {
  for (const block of events.split('\n\n')) {
    const [, name, data] = /^event: (\w+)\ndata: (.*)/.exec(block) ?? [];
    if (name === 'result' && data !== undefined) return JSON.parse(data) as T;
    if (name === 'error' && data !== undefined)
      throw new Error((JSON.parse(data) as { readonly error: string }).error);
  }
  throw new Error('The stream ended without a result.');
}
