/** All limits on a memory. Lengths are UTF-16 units, as JavaScript clients count. */
export const contentLengthMax = 50_000;
export const appendSeparatorLengthMax = 100;
export const contextLengthMax = 200;
export const topicsMax = 50;
export const topicLengthMax = 100;
export const taskIdLengthMax = 200;
export const sessionKeyLengthMax = 200;
export const codeContextValueLengthMax = 200;
export const codeContextExtraLengthMax = 500;
export const codeContextExtraMax = 50;
/** Maximum bytes of metadata, as JSON in UTF-8. */
export const metadataBytesMax = 16_384;
/** Maximum levels of objects and lists, counting the metadata itself. */
export const metadataDepthMax = 8;
/** Maximum metadata paths that one request can filter by. */
export const metadataFiltersMax = 20;
export const externalIdLengthMax = 200;
/** Maximum length of any record's id in a request. */
export const idLengthMax = 200;
export const bulkIdsMax = 100;
export const batchIdLengthMax = 200;
export const idPrefixLengthMin = 6;
export const namePattern = '^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$';
export const nameRule =
  'must be 2 to 64 lower-case letters, digits and dashes, starting and ending with a letter or digit';
