import type { ServingSpaces } from '../../ports.ts';
import { segmentFormat } from './row-segment.ts';

/** What segments of all users are to be of: where it is another, they are written again. */
export function segmentsOf({ space, second }: ServingSpaces): string {
  return [segmentFormat, space, second].join(' ');
}
