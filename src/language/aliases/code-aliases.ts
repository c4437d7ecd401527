import type { AliasVerdict } from './verdict.ts';

/** File names that occur in every folder, so the name alone does not identify a file. */
const everywhere = /^(readme|index|main|license|changelog|package)\b/;

/** Ignores `./`. A bare file name may be the file of a longer path. Names are folded. */
export function judgeFiles(first: string, second: string): AliasVerdict {
  const [a, b] = [first.replace(/^\.\//, ''), second.replace(/^\.\//, '')];
  if (a === b) return 'same';
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return !short.includes('/') && long.endsWith(`/${short}`) && !everywhere.test(short) ? 'maybe' : 'no';
}

const method = /^(get|post|put|patch|delete|head) /;

/**
 * Equates `:id` with `{id}` and ignores a final slash. Without a method, an endpoint may be the same. Names
 * are folded.
 */
export function judgeEndpoints(first: string, second: string): AliasVerdict {
  const [a, b] = [plainEndpoint(first), plainEndpoint(second)];
  if (a === b) return 'same';
  if (method.test(a) && method.test(b)) return 'no';
  return a.replace(/^\w+ /, '') === b.replace(/^\w+ /, '') ? 'maybe' : 'no';
}

const plainEndpoint = (name: string) =>
  name
    .replace(/\/$/, '')
    .replace(/:(\w+)/g, '{$1}')
    .replace(/\{\w+\}/g, '{}');
