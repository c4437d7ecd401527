import { metadataBytesMax } from './limits.ts';
import type { Memory } from './memory.ts';

/** The maximum for a UTF-16 unit: `\u0001` takes six bytes. */
const bytesPerUnit = 6;
/** Names of fields, ids and times, including an external id of 200 units. */
const plainBytes = 2400;
/**
 * Six values of 200 units, and fifty entries with names and
 * values of at most 700 units together, plus punctuation.
 */
const codeContextUnits = 55_000;

/** Upper bound of a memory's bytes as JSON. */
export function jsonBytesMax({
  content,
  context,
  name,
  taskId,
  topics,
  codeContext,
  metadata,
}: Memory): number {
  let units = content.length + (context?.length ?? 0) + (name?.length ?? 0) + (taskId?.length ?? 0);
  for (const topic of topics) units += topic.length + 3;
  if (codeContext !== null) units += codeContextUnits;
  const metadataBytes = metadata === null ? 0 : metadataBytesMax;
  return plainBytes + metadataBytes + units * bytesPerUnit;
}
