import { editDistance } from './edit-distance.ts';

const farthest = 3;

/** The one of `known` that `name` was probably meant to be: at most 3 characters differ, and at most half of them. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((text) => ({ text, distance: editDistance(name, text, farthest) }))
    .filter(({ distance }) => distance <= farthest && 2 * distance <= name.length)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.text;
}
