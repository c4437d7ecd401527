/** How many single characters are put in, left out or changed between two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}

const farthest = 3;

/** The one of `known` that `name` was probably meant to be: at most 3 characters differ. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((text) => ({ text, distance: editDistance(name, text) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.length > 0 && ranked[0].distance <= farthest ? ranked[0].text : undefined;
}
