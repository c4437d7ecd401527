import {
  type DocumentObject,
  type Media,
  mapMembers,
  mapOperations,
  type OperationObject,
  type ResponseObject,
} from './document.ts';

const json = 'application/json';

function named(content: Readonly<Record<string, Media>>, name: string): Readonly<Record<string, Media>> {
  const media = content[json];
  const schema = media?.schema;
  // References need no name, nor do schemas that are not records; an existing name stays.
  if (!schema?.properties || 'x-component' in schema) return content;
  return { ...content, [json]: { ...media, schema: { ...schema, 'x-component': name } } };
}

function withNames(operation: OperationObject): OperationObject {
  const { operationId, requestBody, responses } = operation;
  const prefix = operationId[0].toUpperCase() + operationId.slice(1);
  const nameResponse = (response: ResponseObject) =>
    response.content ? { ...response, content: named(response.content, `${prefix}Response`) } : response;
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: named(requestBody.content, `${prefix}Request`) },
    }),
    responses: mapMembers(responses, nameResponse),
  };
}

/** Request and response bodies of an operation are components too: `CreateMemoryRequest`, `CreateMemoryResponse`. */
export function withNamedBodies(document: DocumentObject): DocumentObject {
  return mapOperations(document, withNames);
}
