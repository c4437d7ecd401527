/** Whether a row of a user's index belongs. */
export type RowTest = (row: number) => boolean;
