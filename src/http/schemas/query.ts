import { type TUnsafe, Type } from 'typebox';
import { idLengthMax } from '../../domain/memories/memory.ts';
import { cursorLengthMax } from '../../domain/shared/cursor.ts';
import { pageLimitDefault, pageLimitMax } from '../../domain/shared/page.ts';
import {
  expiryPattern,
  expiryRule,
  isoPattern,
  isoRule,
  windowPattern,
  windowRule,
} from '../../domain/shared/time.ts';
import { parameterComponent } from './component.ts';

/** A text of a closed set, as a plain `enum`. */
export function oneOf<const C extends readonly string[]>(
  values: C,
  options: Record<string, unknown> = {},
): TUnsafe<C[number]> {
  return Type.Unsafe<C[number]>({ type: 'string', enum: [...values], ...options });
}

/** A number from 0 to 1. */
export const share = Type.Number({ minimum: 0, maximum: 1 });

/** The floor of relevance, in the metadata of a response. */
export const relevanceFloorField = (effect: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${effect}: MEMORYD_RELEVANCE_FLOOR.` });

/** A JSON object with any members. */
export const jsonObject = (description?: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    ...(description && { description }),
  });

/**
 * ISO 8601, with the example in words: Swagger UI would fill in a real one, which would
 * filter everything out. The domain refuses dates that do not exist, such as 2026-02-30.
 */
export const timeText = (description: string) =>
  Type.String({
    maxLength: 64,
    pattern: isoPattern,
    rule: isoRule,
    description: `${description} ISO 8601, such as 2026-02-01T09:30:00Z.`,
  });

export const expiryText = (description: string) =>
  Type.String({
    maxLength: 64,
    pattern: expiryPattern,
    rule: expiryRule,
    description: `${description} ISO 8601, or how long until then: 24h, 30d, 2w, 6mo.`,
  });

/** A text in a URL that may be a list. */
export const longText = (description: string) =>
  Type.Optional(Type.String({ maxLength: 10_000, description }));

/** A time given as a number of minutes, hours, days, weeks or calendar months ago. */
export const windowText = (description: string) =>
  Type.String({ maxLength: 20, pattern: windowPattern, rule: windowRule, description });

/**
 * Length of a page. Clients ask for more than a server returns:
 * `clampTo` reduces it to `most` before a handler sees it.
 */
export const limitUpTo = (most: number, byDefault: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      clampTo: most,
      description: `${byDefault} by default; more than ${most} gives ${most}.`,
    }),
  );

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      ...parameterComponent('Limit'),
      minimum: 1,
      description: `Page size, ${pageLimitDefault} by default; more than ${pageLimitMax} gives ${pageLimitMax}.`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ ...parameterComponent('Offset'), minimum: 0, description: 'Items to skip.' }),
  ),
} as const;

/** Query of a list that returns `pagination.nextCursor`. */
export const cursorQuery = {
  ...pageQuery,
  cursor: Type.Optional(
    Type.String({
      ...parameterComponent('Cursor'),
      minLength: 1,
      maxLength: cursorLengthMax,
      description:
        'The `pagination.nextCursor` of the page before, with the same other parameters: goes on behind its last ' +
        'record, whatever was written since. In place of an offset.',
    }),
  ),
} as const;

export const sortDirection = oneOf(['asc', 'desc'], { description: 'Direction of the order.' });

/** A path id: any text, so that an unknown one is 404 and not 422. */
export const idParams = Type.Object({ id: Type.String({ maxLength: 500 }) });

export const nameParams = Type.Object({ name: Type.String({ maxLength: 500 }) });

export const limitField = pageQuery.limit;
export const limitQuery = Type.Object({ limit: limitField });

/** The page size for a `limitField`. */
export const limitOf = ({ limit = pageLimitDefault }: { readonly limit?: number }) =>
  Math.min(limit, pageLimitMax);

/** The id of another record: any text, so that an unknown one is 404 or an empty list, and not 422. */
export const recordId = (description: string) =>
  Type.String({ minLength: 1, maxLength: idLengthMax, description });
