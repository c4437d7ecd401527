import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

export interface User extends UserRef {
  readonly email: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** Names are for the operator, and nobody else sees them: 1 to 64 letters, digits, dots, dashes, underscores or @. */
export const userNamePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
export const userNameRule =
  'must be 1 to 64 letters, digits, dots, dashes, underscores or @, starting with a letter or digit';

/** The address shown for a user who gave none; `.invalid` never resolves (RFC 2606). */
export function defaultEmail(name: string): string {
  return `${name.replaceAll('@', '.')}@memoryd.invalid`;
}
