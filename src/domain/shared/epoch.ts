/** Milliseconds since 1970-01-01T00:00:00Z: how times are held everywhere but at the HTTP edge. */
export type EpochMs = number;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
