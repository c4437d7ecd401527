import { editDistance } from './edit-distance.ts';

const farthest = 3;

/**
 * The known name that is closest to `name`, if at most 3 of its characters and at most half of them differ.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((text) => ({ text, distance: editDistance(name, text, farthest) }))
    .filter(({ distance }) => distance <= farthest && 2 * distance <= name.length)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.text;
}
