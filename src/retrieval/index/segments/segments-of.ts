import type { ServingSpaces } from '../../ports.ts';
import { segmentFormat } from './row-segment.ts';

/** Format and spaces that segments of all users must have; others are rewritten. */
export function segmentsOf({ space, second }: ServingSpaces): string {
  return [segmentFormat, space, second].join(' ');
}
