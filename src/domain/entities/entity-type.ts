export const entityTypes = [
  'PERSON',
  'ORGANIZATION',
  'CONCEPT',
  'PROJECT',
  'TECHNOLOGY',
  'COMPONENT',
  'API_ENDPOINT',
  'FILE',
  'LOCATION',
] as const;
export type EntityType = (typeof entityTypes)[number];
