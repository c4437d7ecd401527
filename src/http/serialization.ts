import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import { compileLate } from './compile-late.ts';
import { errorSchemas } from './schemas/envelope.ts';

const failures = new Set<unknown>(errorSchemas);
const toJson: SerializerSelector.Serializer = (body) => JSON.stringify(body);

/**
 * Compiles the schemas of responses to what writes them, but for those of failures: `sendError` writes these itself, and
 * fourteen for each route took most of the time in which the app is made. Each serializer also makes objects whose first
 * member nobody else uses, and V8 knows 1,536 first members of a `{}`: with all of them used up, every `{}` of a
 * request (its headers, those of its response) got a hidden class of its own, and what read or wrote it was slow. The same
 * package at the same version as Fastify's own compiler.
 */
export const serializerFactory: SerializerSelector.SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options);
  return (route) => {
    if (failures.has((route.schema as { $ref?: unknown })?.$ref)) return toJson;
    const serializer = compileLate(route.url, () => compile(route));
    return (body) => serializer()(body);
  };
};
