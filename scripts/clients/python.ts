import {
  type ClientDocument,
  type Member,
  namedSchemas,
  type Operation,
  operationsOf,
  reachedFrom,
  type Schema,
} from './operations.ts';

const reserved: ReadonlySet<string> = new Set([
  'from',
  'in',
  'is',
  'not',
  'and',
  'or',
  'class',
  'def',
  'global',
  'import',
]);

export function snakeOf(name: string): string {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return reserved.has(snake) ? `${snake}_` : snake;
}

const literal = (value: unknown) =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
const refOf = ($ref: string) => $ref.split('/').at(-1) ?? '';
const isNullable = ({ nullable, enum: values }: Schema) =>
  nullable === true || values?.includes(null) === true;

/** A type of Python. @param isSent the value goes to the service, which takes only what it knows */
function typeOf(schema: Schema, isSent: boolean, named: ReadonlyMap<string, Schema>): string {
  const { $ref, enum: values, type, items, anyOf, additionalProperties: rest } = schema;
  const of = (one: Schema) => typeOf(one, isSent, named);
  if ($ref) {
    const name = refOf($ref);
    if (isEnum(named.get(name))) return isSent ? name : `${name} | str`;
    return isSent ? 'Mapping[str, Any]' : name;
  }
  if (values) {
    const texts = values.filter((value) => value !== null).map(literal);
    return isSent ? `Literal[${texts.join(', ')}]` : 'str';
  }
  if (anyOf) return [...new Set(anyOf.map(of))].join(' | ');
  if (type === 'string') return 'str';
  if (type === 'integer') return 'int';
  if (type === 'number') return 'float';
  if (type === 'boolean') return 'bool';
  if (type === 'array')
    return isSent ? `Sequence[${items ? of(items) : 'Any'}]` : `list[${items ? of(items) : 'Any'}]`;
  if (type === 'object') {
    if (isSent) return 'Mapping[str, Any]';
    return `dict[str, ${typeof rest === 'object' && Object.keys(rest).length > 0 ? of(rest) : 'Any'}]`;
  }
  return 'Any';
}

const isEnum = (schema: Schema | undefined) => schema?.enum !== undefined;

function modelOf(
  name: string,
  { properties = {}, required = [] }: Schema,
  named: ReadonlyMap<string, Schema>,
): string {
  const fields = Object.entries(properties).map(([member, schema]) => {
    const field = snakeOf(member);
    const type = typeOf(schema, false, named);
    const alias = field === member ? '' : `alias="${member}"`;
    const whole = isNullable(schema) || !required.includes(member) ? optional(type) : type;
    if (required.includes(member) && !alias) return `    ${field}: ${whole}`;
    const given = [...(required.includes(member) ? [] : ['default=None']), ...(alias ? [alias] : [])];
    return `    ${field}: ${whole} = ${given.length === 1 && !alias ? 'None' : `Field(${given.join(', ')})`}`;
  });
  return `class ${name}(Model):\n${fields.length === 0 ? '    pass' : fields.join('\n')}\n`;
}

const optional = (type: string) => (type === 'Any' ? type : `${type} | None`);

function modelsFile(document: ClientDocument, operations: readonly Operation[], generatedBy: string): string {
  const named = namedSchemas(document.components.schemas);
  const answers = operations.flatMap(({ answer }) => (typeof answer === 'object' ? [answer] : []));
  const reached = reachedFrom([...answers, { $ref: '#/Error' }, { $ref: '#/Change' }], named);
  const enums = [...named].filter(([, schema]) => isEnum(schema));
  const models = [...named].filter(([name, schema]) => reached.has(name) && !isEnum(schema));
  return [
    `"""Records and responses. ${generatedBy}"""`,
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, TypeAlias',
    '',
    'from pydantic import BaseModel, ConfigDict, Field',
    '',
    '',
    'class Model(BaseModel):',
    '    """A record as the service sent it: fields that this version does not know are kept."""',
    '',
    '    model_config = ConfigDict(populate_by_name=True, extra="allow", frozen=True)',
    '',
    '',
    ...enums.map(
      ([name, { enum: values = [] }]) =>
        `${name}: TypeAlias = Literal[${values
          .filter((value) => value !== null)
          .map(literal)
          .join(', ')}]`,
    ),
    '',
    '',
    models
      .map(([name, schema]) =>
        schema.properties || schema.type === 'object' ? modelOf(name, schema, named) : `${name} = Any\n`,
      )
      .join('\n\n'),
  ].join('\n');
}

const wrapped = (text: string) => `${text.replace(/\.$/, '')}.`;

function answerOf(answer: Operation['answer']): string {
  if (answer === undefined) return 'None';
  if (answer === 'text') return 'str';
  if (answer.items) return `list[${answerOf(answer.items)}]`;
  return answer.$ref ? `models.${refOf(answer.$ref)}` : 'Any';
}

function methodOf(operation: Operation, named: ReadonlyMap<string, Schema>): string {
  const { id, method, path, pathNames, members, answer, summary, takesIfMatch } = operation;
  const argument = ({ name, schema, required }: Member) => {
    const type = typeOf(schema, true, named);
    if (required) return `${snakeOf(name)}: ${isNullable(schema) ? optional(type) : type}`;
    if (isNullable(schema)) return `${snakeOf(name)}: ${optional(type)} | Unset = UNSET`;
    return `${snakeOf(name)}: ${optional(type)} = None`;
  };
  const model = answerOf(answer);
  const keyed = method === 'POST' ? ['idempotency_key: str | None = None'] : [];
  const matched = takesIfMatch ? ['if_match: str | None = None'] : [];
  const named_ = [...members.map(argument), ...keyed, ...matched];
  const head = [
    'self',
    ...pathNames.map((name) => `${snakeOf(name)}: str`),
    ...(named_.length > 0 ? ['*', ...named_] : []),
  ];
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => `{segment(${snakeOf(name)})}`);
  const sent = (where: Member['in']) =>
    members
      .filter((one) => one.in === where)
      .map(({ name, schema, required }) => {
        const given = snakeOf(name);
        return `"${name}": ${isNullable(schema) && !required ? `or_null(${given})` : given}`;
      });
  const calls = [
    `"${method}"`,
    `${pathNames.length > 0 ? 'f' : ''}"${target}"`,
    model,
    ...(sent('query').length > 0 ? [`query={${sent('query').join(', ')}}`] : []),
    ...(sent('body').length > 0 ? [`body={${sent('body').join(', ')}}`] : []),
    ...(keyed.length > 0 ? ['idempotency_key=idempotency_key'] : []),
    ...(matched.length > 0 ? ['if_match=if_match'] : []),
  ];
  return [
    `    async def ${snakeOf(id)}(`,
    ...head.map((one) => `        ${one},`),
    `    ) -> ${model}:`,
    `        """${wrapped(summary)}"""`,
    '        return await self._call(',
    ...calls.map((one) => `            ${one},`),
    '        )',
  ].join('\n');
}

function operationsFile(
  document: ClientDocument,
  operations: readonly Operation[],
  generatedBy: string,
): string {
  const named = namedSchemas(document.components.schemas);
  const methods = operations.map((operation) => methodOf(operation, named));
  const enums = [...named].filter(
    ([name, schema]) => isEnum(schema) && methods.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
  );
  return [
    `"""A method for each operation of the service. ${generatedBy}"""`,
    '',
    'from __future__ import annotations',
    '',
    'from collections.abc import Mapping, Sequence',
    'from typing import Any, Literal',
    '',
    'from .. import models',
    'from .._values import UNSET, Unset, or_null, segment',
    `from ..models import ${enums.map(([name]) => name).join(', ')}`,
    'from .transport import AsyncTransport',
    '',
    '',
    'class AsyncOperations(AsyncTransport):',
    '    """Every operation, as docs/openapi.json has it: arguments that are None are not sent."""',
    '',
    methods.join('\n\n'),
    '',
  ].join('\n');
}

/** The same file without `async`: what is written once serves both clients. */
export function withoutAsync(text: string): string {
  return text
    .replace(/\basync (def|with|for)\b/g, '$1')
    .replace(/\bawait /g, '')
    .replace(/\bAsyncIterator\b/g, 'Iterator')
    .replace(/\bAsync(Client|Transport|Operations|BaseTransport|Documents)\b/g, (_, name: string) =>
      name === 'BaseTransport' ? 'BaseTransport' : name,
    )
    .replace(/\baclose\b/g, 'close')
    .replaceAll('__aenter__', '__enter__')
    .replaceAll('__aexit__', '__exit__')
    .replaceAll('aiter_lines', 'iter_lines')
    .replaceAll('.aread(', '.read(')
    .replaceAll('asyncio.sleep', 'time.sleep')
    .replaceAll('import asyncio', 'import time');
}

/** Files below clients/python/memoryd by path. @param read a file of that folder */
export function pythonFiles(
  document: ClientDocument,
  generatedBy: string,
  read: (path: string) => string,
): Readonly<Record<string, string>> {
  const operations = operationsOf(document);
  const all = operationsFile(document, operations, generatedBy);
  const marked = (path: string) => `# ${generatedBy}\n${withoutAsync(read(path))}`;
  return {
    'models.py': modelsFile(document, operations, generatedBy),
    '_async/operations.py': all,
    '_sync/operations.py': withoutAsync(all),
    '_sync/transport.py': marked('_async/transport.py'),
    '_sync/client.py': marked('_async/client.py'),
    '_sync/documents.py': marked('_async/documents.py'),
  };
}
