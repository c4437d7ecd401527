import type { Lexicon } from '../lists/lexicon.ts';
import type { AliasVerdict } from './verdict.ts';

const version = /\s+v?\d+(\.\d+)*$/;
const script = /\.?js$/;

/**
 * Compares the canonical names of the lists; without one, ignores versions, `Apache` and signs between words.
 * Names are folded.
 */
export function judgeTechnologies(lexicon: Lexicon, a: string, b: string): AliasVerdict {
  const [known, other] = [canonicalOf(lexicon, a), canonicalOf(lexicon, b)];
  if (known && other) return known.toLowerCase() === other.toLowerCase() ? 'same' : 'no';
  return bareTechnology(a) === bareTechnology(b) ? 'same' : 'no';
}

function canonicalOf({ technologies }: Lexicon, name: string): string | undefined {
  const bare = name.replace(version, '');
  return (
    technologies.get(bare) ??
    technologies.get(bare.replace(/[\s-]/g, '')) ??
    (script.test(bare) ? technologies.get(bare.replace(script, '')) : undefined)
  );
}

const bareTechnology = (name: string) =>
  name
    .replace(/^(apache|the)\s+/, '')
    .replace(version, '')
    .replace(/[\s._-]+/g, '');
