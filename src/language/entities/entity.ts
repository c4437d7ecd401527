/** Types of entities in the API. */
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

/** How an entity was found: by its form, our lists, the recogniser, or an earlier name of the user. */
export type EntitySource = 'pattern' | 'list' | 'recogniser' | 'user';

/** A name in a text. */
export interface EntityMention {
  /** `text.slice(start, end)` of the given text. */
  readonly text: string;
  readonly type: EntityType;
  readonly start: number;
  readonly end: number;
  readonly source: EntitySource;
  /** 0 to 1; from `certainEntity` on, the name counts as known in all texts of the user. */
  readonly certainty: number;
}

export const certainEntity = 0.85;
/** Certainty of findings of the recogniser, with the support of a list, a form or the words around it, and without. */
export const [supportedCertainty, unsupportedCertainty] = [0.7, 0.5];

/** False for a name that may be of another type, which helps to parse a sentence and is not shown. */
export const isSupportedMention = ({ certainty }: EntityMention) => certainty > unsupportedCertainty;
