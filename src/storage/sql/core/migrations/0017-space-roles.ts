import type { ColumnTypes } from './column-types.ts';

/** Two spaces may serve at the same time, one per role. */
export const spaceRoles = ({ text }: ColumnTypes) => [
  `ALTER TABLE vector_spaces ADD COLUMN role ${text} NOT NULL DEFAULT 'main'`,
];
