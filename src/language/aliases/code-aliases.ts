import type { AliasVerdict } from './verdict.ts';

/** Files that every folder may have: the name alone says nothing. */
const everywhere = /^(readme|index|main|license|changelog|package)\b/;

/** `./` does not count; the last part alone may be the file. Names are folded. */
export function judgeFiles(first: string, second: string): AliasVerdict {
  const [a, b] = [first.replace(/^\.\//, ''), second.replace(/^\.\//, '')];
  if (a === b) return 'same';
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return !short.includes('/') && long.endsWith(`/${short}`) && !everywhere.test(short) ? 'maybe' : 'no';
}

const method = /^(get|post|put|patch|delete|head) /;

/** `:id` is `{id}`, a slash at the end does not count; where one has no method, it may be the same. Names are folded. */
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
