import { segmentFormat } from '../columns/row-segment.ts';
import type { ServingSpaces } from '../ports.ts';

/** Format and spaces that segments of all users must have; others are rewritten. */
export function segmentsOf({ space, second }: ServingSpaces): string {
  return [segmentFormat, space, second].join(' ');
}
