import { type TSchema, Type } from 'typebox';

export const ErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'What is wrong, in a sentence that names the field and the rule.' }),
    code: Type.String({ description: 'Stable code; see docs/errors.md.' }),
    details: Type.Optional(Type.Unknown()),
    retryAfter: Type.Optional(Type.Number({ description: 'Seconds after which trying again may help.' })),
    requestId: Type.String(),
  },
  { $id: 'Error' },
);

export const PaginationSchema = Type.Object(
  {
    limit: Type.Integer({ description: 'Page size used.' }),
    offset: Type.Integer({ description: 'Items skipped.' }),
    count: Type.Integer({ description: 'Items in the whole list.' }),
  },
  { $id: 'Pagination' },
);

/** `{data: …}`: the envelope of single records. */
export function dataOf<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema });
}

const errorStatuses = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 431, 503] as const;

/** The answers of failures, the same for every endpoint; a fault of the server is a 500 of the same shape. */
export const errorResponses = Object.fromEntries(
  [...errorStatuses, 500].map((status) => [status, Type.Ref('Error')]),
);
