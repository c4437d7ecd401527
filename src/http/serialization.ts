import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import { compileLate } from './compile-late.ts';
import { errorSchemas } from './schemas/envelope.ts';

const failures = new Set<unknown>(errorSchemas);
const toJson: SerializerSelector.Serializer = (body) => JSON.stringify(body);

/**
 * Compiles response schemas to serializers, except those of failures: `sendError` serializes
 * failures itself, and fourteen schemas a route took most of the app's construction time. Each
 * serializer also makes objects with a first member of its own, and V8 keeps 1,536 first members
 * of a `{}`: once all are used, every `{}` of a request (such as its headers) gets a hidden class
 * of its own, and access is slow. The package and version are those of Fastify's own compiler.
 */
export const serializerFactory: SerializerSelector.SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options);
  return (route) => {
    if (failures.has((route.schema as { $ref?: unknown })?.$ref)) return toJson;
    const serializer = compileLate(route.url, () => compile(route));
    return (body) => serializer()(body);
  };
};
