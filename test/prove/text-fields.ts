import { randomUUID } from 'node:crypto';
import { exampleOf, type Operation, type Schema } from '../support/openapi.ts';

/** A place in a request where any text can stand. */
export interface TextField {
  /** As `POST /api/memories content` or `GET /api/memories/search ?q`. */
  readonly label: string;
  readonly lengthMax: number;
  request(text: string): { method: string; path: string; body?: unknown };
}

/** Node's HTTP parser takes 16 KiB of headers; a character may become 12 in a URL. */
const urlTextMax = 1_000;
const bodyTextMax = 50_000;

type Place = readonly (string | number)[];

/** Every text field of every operation: path and query parameters, and the texts of the body at any depth. */
export function textFields(operations: readonly Operation[]): TextField[] {
  return operations.flatMap((operation) => [...urlFields(operation), ...bodyFields(operation)]);
}

function urlFields(operation: Operation): TextField[] {
  const texts = operation.parameters.filter(({ schema }) => takesText(schema ?? {}));
  return texts
    .filter((parameter) => parameter.in === 'query' || parameter.in === 'path')
    .map((parameter) => ({
      label: `${operation.method} ${operation.path} ${parameter.in === 'query' ? '?' : '/'}${parameter.name}`,
      lengthMax: Math.min(parameter.schema?.maxLength ?? urlTextMax, urlTextMax),
      request: (text) => ({
        method: operation.method,
        path: pathWith(operation, parameter.name, text),
        ...(operation.body ? { body: operation.example ?? exampleOf(operation.body, () => undefined) } : {}),
      }),
    }));
}

function bodyFields(operation: Operation): TextField[] {
  const { body, method } = operation;
  if (!body) return [];
  return textPlaces(body).map(({ place, lengthMax }) => ({
    label: `${method} ${operation.path} ${place.join('.')}`,
    lengthMax: Math.min(lengthMax ?? bodyTextMax, bodyTextMax),
    request: (text) => {
      const valid = operation.example ?? exampleOf(body, () => undefined);
      return { method, path: pathWith(operation, '', ''), body: withText(valid, place, text) };
    },
  }));
}

/** The path with an unused id in each place, but `text` for the parameter of that name, in the path or the query. */
function pathWith({ path, parameters }: Operation, name: string, text: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, each: string) =>
    encodeURIComponent(each === name ? text || '-' : randomUUID()),
  );
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const given = query.flatMap((parameter) => {
    if (parameter.name === name) return [`${name}=${encodeURIComponent(text)}`];
    if (!parameter.required) return [];
    return [
      `${parameter.name}=${encodeURIComponent(String(exampleOf(parameter.schema ?? {}, () => undefined)))}`,
    ];
  });
  return given.length === 0 ? filled : `${filled}?${given.join('&')}`;
}

function takesText(schema: Schema): boolean {
  if (schema.enum || schema.const !== undefined) return false;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema.type].flat().includes('string') || choices.some(takesText);
}

/** Where texts stand in what a schema allows; an object of any members has one named `any`. */
function textPlaces(schema: Schema, place: Place = []): { place: Place; lengthMax?: number }[] {
  const own = takesText(schema) ? [{ place, lengthMax: schema.maxLength }] : [];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const members = Object.entries(schema.properties ?? {});
  const isOpen = [schema.type].flat().includes('object') && members.length === 0 && place.length > 0;
  return [
    ...own,
    ...inner.filter((each) => !takesText(each)).flatMap((each) => textPlaces(each, place)),
    ...members.flatMap(([name, each]) => textPlaces(each, [...place, name])),
    ...(schema.items ? textPlaces(schema.items, [...place, 0]) : []),
    ...(isOpen ? [{ place: [...place, 'any'] }] : []),
  ];
}

function withText(value: unknown, [first, ...rest]: Place, text: string): unknown {
  if (first === undefined) return text;
  if (typeof first === 'number') return [withText(Array.isArray(value) ? value[0] : undefined, rest, text)];
  const record = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...record, [first]: withText((record as Record<string, unknown>)[first], rest, text) };
}
