/** What feedback gives to a score at most, as a share of it: a memory passes only those that are less than a tenth better. */
export const feedbackShareMax = 0.05;

/**
 * How much a memory is preferred by the feedback on it: above -1 and below 1, 0 without any. Twice its chance to be selected
 * by Laplace's rule of succession, less 1, so that one entry says little (1/3) and many say more.
 */
export function preferenceOf(selected: number, notSelected: number): number {
  return (selected - notSelected) / (selected + notSelected + 2);
}
