import { requestsPerMinuteMax } from '../../../domain/api-keys/api-key.ts';
import type { UserHead } from '../../transfer.ts';

/**
 * Maximum of a user's change numbers and of a store's document numbers: far above
 * any real number, and far below the numbers to which one cannot be added exactly.
 */
export const changesMax = 2 ** 40;
export const documentsMax = 2 ** 40;
/** Maximum distance of a JavaScript date from 1970, in milliseconds. */
const timeMax = 8.64e15;
const smallMax = 2 ** 31 - 1;

interface NumberRule {
  readonly allows: (value: number, head: UserHead) => boolean;
  /** Completes the sentence "… must be". */
  readonly says: string;
}

const flag: NumberRule = { allows: (value) => value === 0 || value === 1, says: '0 or 1' };
const share: NumberRule = { allows: (value) => value >= 0 && value <= 1, says: 'from 0 to 1' };
const time: NumberRule = { allows: (value) => Math.abs(value) <= timeMax, says: 'a time in milliseconds' };
const count: NumberRule = {
  allows: (value) => value >= 0 && value <= smallMax,
  says: `from 0 to ${smallMax}`,
};
const change: NumberRule = {
  allows: (value, head) => value >= 0 && value <= head.rev,
  says: 'from 0 to the rev of its user',
};
const any: NumberRule = { allows: () => true, says: 'a number' };

/** Allowed numbers by column of an export. A column that is not listed must be a count. */
const rules: Readonly<Record<string, NumberRule>> = {
  seq: change,
  rev: change,
  memory_seq: change,
  since_rev: change,
  moved_to: change,
  requests_per_minute: {
    allows: (value) => value >= 1 && value <= requestsPerMinuteMax,
    says: `from 1 to ${requestsPerMinuteMax}`,
  },
  moving: { allows: (value) => value >= 1 && value <= 3, says: 'from 1 to 3' },
  trashed: flag,
  implicit: flag,
  auto_titled: flag,
  sourced: flag,
  negated: flag,
  corrected: flag,
  is_certain: flag,
  withdrawn: flag,
  is_active: flag,
  memory_type_user_set: flag,
  confidence: share,
  base_confidence: share,
  importance: any,
  event_time: time,
  valid_from: time,
  valid_to: time,
  at: time,
  run_at: time,
  // Checked against the range that the head states.
  doc: any,
};

export function numberRule(column: string): NumberRule {
  return rules[column] ?? (column.endsWith('_at') ? time : count);
}

/** @returns the fault of the numbers of a head, if any */
export function wrongHeadNumbers({ createdAt, updatedAt, rev, epoch, firstDoc, lastDoc }: UserHead) {
  if (Math.abs(createdAt) > timeMax || Math.abs(updatedAt) > timeMax)
    return `createdAt and updatedAt must be ${time.says}`;
  if (rev > changesMax || epoch > changesMax) return `rev and epoch must be at most ${changesMax}`;
  if (firstDoc > lastDoc + 1 || lastDoc > documentsMax)
    return `firstDoc and lastDoc must be in order and at most ${documentsMax}`;
  return undefined;
}
