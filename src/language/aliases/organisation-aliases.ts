import type { AliasVerdict } from './verdict.ts';

const suffix =
  /[,.]?\s+(inc|incorporated|corp|corporation|co|company|ltd|limited|llc|gmbh|ag|plc|s\.?a|se|kg|bv|oy|ab|group|holdings?)\.?$/i;
const unimportant = /^(of|the|and|for|de)$/;
const acronymMin = 3;

/**
 * Ignores legal forms. An acronym may be the same organisation; a longer name is another one. Names are
 * folded.
 */
export function judgeOrganisations(first: string, second: string): AliasVerdict {
  if (bareName(first) === bareName(second)) return 'same';
  const [short, long] = first.length < second.length ? [first, second] : [second, first];
  return short.length >= acronymMin && short === acronymOf(long) ? 'maybe' : 'no';
}

function bareName(name: string): string {
  let bare = name;
  while (suffix.test(bare)) bare = bare.replace(suffix, '');
  return bare.replace(/^the\s+/, '').replace(/[\s.,-]+/g, '');
}

function acronymOf(name: string): string {
  const words = name.split(/[\s-]+/).filter((word) => !unimportant.test(word));
  return words.length >= 2 ? words.map((word) => word[0] ?? '').join('') : '';
}
