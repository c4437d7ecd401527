import { type DocumentObject, mapOperations } from './document.ts';

/**
 * Says what @fastify/swagger cannot know: a body without a required member may be left out, and a query parameter
 * without a value counts as absent, where it may be absent.
 */
export function withOptionalParts(document: DocumentObject): DocumentObject {
  return mapOperations(document, (operation) => {
    const { parameters, requestBody } = operation;
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema ?? {});
    return {
      ...operation,
      ...(parameters && {
        parameters: parameters.map((parameter) =>
          parameter.in === 'query' && !parameter.required
            ? { ...parameter, allowEmptyValue: true }
            : parameter,
        ),
      }),
      ...(requestBody && {
        requestBody: { ...requestBody, required: schemas.some((schema) => 'required' in schema) },
      }),
    };
  });
}
