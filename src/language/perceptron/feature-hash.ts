const seed = 0x811c9dc5;
const prime = 0x01000193;

function append(state: number, text: string): number {
  let hash = state;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash;
}

/**
 * FNV-1a over the UTF-16 units of the parts in order, then mixed, because its low bits are poor.
 * @returns 0 to 2^32-1
 */
export function featureHash(first: string, second = '', third = '', fourth = ''): number {
  let hash = append(append(append(append(seed, first), second), third), fourth);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
