import type { Range } from '../text/parts.ts';

interface Hit {
  readonly content: string;
  /** Empty if it would be the whole content. */
  readonly preview: string;
  readonly highlights?: readonly Range[];
}

/** What a row shows of a result: its preview, and where the words found are in that. */
export function excerptOf({ content, preview, highlights = [] }: Hit): { text: string; hits: Range[] } {
  if (preview === '') return { text: content, hits: [...highlights] };
  const bare = preview.replace(/^…|…$/g, '');
  const at = Math.max(0, content.indexOf(bare));
  const shift = (preview.startsWith('…') ? 1 : 0) - at;
  const isShown = ({ start, end }: Range) => start >= at && end <= at + bare.length;
  const hits = highlights
    .filter(isShown)
    .map(({ start, end }) => ({ start: start + shift, end: end + shift }));
  return { text: preview, hits };
}
