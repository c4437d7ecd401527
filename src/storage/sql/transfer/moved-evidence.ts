import type { RelationshipEvidence, TextPlace } from '../../../domain/relationships/relationship.ts';
import { parseJson } from '../../../lib/json-depth.ts';
import type { UserHead } from '../../transfer.ts';

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * The evidence of an edge in an export; undefined if it is
 * malformed or refers to documents outside the user's range.
 */
export function exportedEvidence(text: unknown, head: UserHead): RelationshipEvidence | undefined {
  const { earlier, later } = parsed(text) ?? {};
  return isPlace(earlier, head) && isPlace(later, head) ? { earlier, later } : undefined;
}

/** @returns undefined if the text is not a JSON object */
function parsed(text: unknown): { readonly earlier?: unknown; readonly later?: unknown } | undefined {
  try {
    const value = parseJson(String(text));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // The caller reports it, with the line of the file.
    return undefined;
  }
}

function isPlace(place: unknown, { firstDoc, lastDoc }: UserHead): place is TextPlace {
  if (!Array.isArray(place) || place.length !== 3 || !place.every(isCount)) return false;
  const [doc, start, end] = place as [number, number, number];
  return doc >= firstDoc && doc <= lastDoc && start <= end;
}

/** The same evidence with document numbers shifted by `docShift`. */
export function movedEvidence({ earlier, later }: RelationshipEvidence, docShift: number): string {
  const move = ([doc, start, end]: TextPlace): TextPlace => [doc + docShift, start, end];
  return JSON.stringify({ earlier: move(earlier), later: move(later) });
}
