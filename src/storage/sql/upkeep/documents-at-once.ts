/** Documents written in one transaction at most. */
export const documentsAtOnce = 32;
