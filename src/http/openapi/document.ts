/** The parts of an OpenAPI document that this folder reads or changes. */
export interface Media {
  readonly schema?: Readonly<Record<string, unknown>>;
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface ParameterObject {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: Readonly<Record<string, unknown>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface DocumentObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Members<T> = Readonly<Record<string, T>>;

export function mapMembers<T, R>(members: Members<T>, map: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value, name)]));
}

/** The document with each of its operations changed. */
export function mapOperations(
  document: DocumentObject,
  map: (operation: OperationObject) => OperationObject,
): DocumentObject {
  return { ...document, paths: mapMembers(document.paths, (methods) => mapMembers(methods, map)) };
}
