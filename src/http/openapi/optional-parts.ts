import { type DocumentObject, mapOperations } from './document.ts';

/**
 * Adds facts that @fastify/swagger cannot know: a body without required members may
 * be left out, and an optional query parameter without a value counts as absent.
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
