import { metadataBytesMax } from './limits.ts';
import type { Memory } from './memory.ts';

/** `\u0001` takes six bytes; no unit of text takes more. */
const bytesPerUnit = 6;
/** Names of fields, ids and times; 200 units of them are an external id. */
const plainBytes = 2400;
/** Six values of 200 units, fifty further ones of 500 with names as long. */
const codeContextUnits = 55_000;

/** Bytes of a memory as JSON at most. */
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
