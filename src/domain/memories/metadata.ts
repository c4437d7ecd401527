import { isJsonObject } from '../../lib/json.ts';
import { invalidInput } from '../shared/errors.ts';

/** Maximum bytes of metadata, as JSON in UTF-8. */
export const metadataBytesMax = 16_384;
/** Maximum levels of objects and lists, counting the metadata itself. */
export const metadataDepthMax = 8;
/** Maximum metadata paths that one request can filter by. */
export const metadataFiltersMax = 20;

/** A client's own data on a memory: a JSON object that the service stores and never interprets. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A metadata value for filters. */
export type MetadataValue = string | number | boolean;

/**
 * @throws 422 for a number that JSON cannot represent, such as 1e400, or more than `metadataDepthMax` levels
 */
function assertValues(value: unknown, depth: number): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw invalidInput('metadata', 'must not contain a number beyond 1.8e308');
  if (typeof value !== 'object' || value === null) return;
  if (depth > metadataDepthMax)
    throw invalidInput('metadata', `must not be nested deeper than ${metadataDepthMax} levels`);
  for (const item of Object.values(value)) assertValues(item, depth + 1);
}

/**
 * Metadata in stored form; null for null and for an empty object.
 * @throws 422 if it is not an object, has more than 16 KiB
 * as JSON in UTF-8, or more than 8 levels, counting itself
 */
export function checkedMetadata(given: Metadata | null): Metadata | null {
  if (given === null) return null;
  if (typeof given !== 'object' || Array.isArray(given)) throw invalidInput('metadata', 'must be an object');
  assertValues(given, 1);
  if (Buffer.byteLength(JSON.stringify(given)) > metadataBytesMax)
    throw invalidInput('metadata', `must have at most ${metadataBytesMax} bytes as JSON`);
  return Object.keys(given).length > 0 ? given : null;
}

/** Calls `take` for each indexed value of metadata with its path: names of nested members joined by dots. */
export function forEachValue(
  metadata: Metadata,
  take: (path: string, value: MetadataValue) => void,
  parent = '',
): void {
  for (const [name, value] of Object.entries(metadata)) {
    const path = parent + name;
    // Each item of a list is indexed.
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') take(path, item);
      else if (isJsonObject(item)) forEachValue(item as Metadata, take, `${path}.`);
    }
  }
}
