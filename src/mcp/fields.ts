import { Type } from 'typebox';
import {
  batchIdLengthMax,
  contentLengthMax,
  namePattern,
  nameRule,
  topicLengthMax,
  topicsMax,
} from '../domain/memories/memory.ts';
import { windowPattern, windowRule } from '../domain/shared/time.ts';

/** Arguments that several tools share. */
export const idField = (description: string) =>
  Type.String({ minLength: 1, maxLength: batchIdLengthMax, description });

export const contentField = (description: string) =>
  Type.String({ minLength: 1, maxLength: contentLengthMax, description });

export const nameField = (description: string) =>
  Type.String({ pattern: namePattern, rule: nameRule, description });

export const topicsField = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: topicLengthMax }), { maxItems: topicsMax, description });

/** The format alone: the pattern of our dates has 230 tokens, and `parseTime` refuses what is none with field and rule. */
export const timeField = (description: string) =>
  Type.String({ maxLength: 64, format: 'date-time', description });

export const windowField = (description: string) =>
  Type.String({ pattern: windowPattern, rule: windowRule, description });

export const choiceField = <const V extends readonly string[]>(
  values: V,
  description: string,
  byDefault?: V[number],
) =>
  Type.Unsafe<V[number]>({
    type: 'string',
    enum: [...values],
    ...(byDefault !== undefined && { default: byDefault }),
    description,
  });

export const queryField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 32_768, description });

export const limitField = (byDefault: number, maximum: number, what: string) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: `Most ${what} to answer.` });

export const offsetField = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  default: 0,
  description: 'Items to skip: the nextOffset of the answer before.',
});

/** Any JSON object. */
export function jsonObjectField(description: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description,
  });
}

export const metadataField = jsonObjectField('Any JSON object to keep with it, at most 16 KiB.');
