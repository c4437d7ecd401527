import { bulkIdsMax } from '../../../domain/memories/limits.ts';
import { Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';

/** Ids for a bulk operation; repeated ids count once. */
export const bulkIds = Type.Array(Type.String(), { minItems: 1, maxItems: bulkIdsMax });

/** Failed memories with reasons; all others were changed. */
export const bulkFailures = {
  failed: Type.Integer(),
  errors: Type.Array(Type.Object({ id: Type.String(), error: Type.String() }, component('BulkFailure'))),
} as const;

export interface BulkFailures {
  failed: number;
  errors: { id: string; error: string }[];
}

export function toBulkFailures(errors: readonly { id: string; error: string }[]): BulkFailures {
  return { failed: errors.length, errors: [...errors] };
}
