/** Types of entities, as the API names them. */
export type EntityType =
  | 'PERSON'
  | 'ORGANIZATION'
  | 'CONCEPT'
  | 'PROJECT'
  | 'TECHNOLOGY'
  | 'COMPONENT'
  | 'API_ENDPOINT'
  | 'FILE'
  | 'LOCATION';

/** What found an entity: its form, our lists, the recogniser, or a name that the user has used before. */
export type EntitySource = 'pattern' | 'list' | 'recogniser' | 'user';

/** A name in a text. */
export interface EntityMention {
  /** `text.slice(start, end)` of the text given. */
  readonly text: string;
  readonly type: EntityType;
  readonly start: number;
  readonly end: number;
  readonly source: EntitySource;
  /** 0 to 1; from `certainEntity` on, the name may be taken as known for all texts of the user. */
  readonly certainty: number;
}

export const certainEntity = 0.85;
