import {
  type ClientDocument,
  namedSchemas,
  type Operation,
  operationsOf,
  reachedFrom,
  type Schema,
} from './operations.ts';

const nameOf = ($ref: string) => $ref.split('/').at(-1) ?? '';
const isOpenEnum = (schema: Schema | undefined) => schema?.enum !== undefined;
const propertyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** @param isSent the value goes to the service, which takes only what it knows; others may come from a later version */
function typeOf(schema: Schema, isSent: boolean, named: ReadonlyMap<string, Schema>): string {
  const { $ref, enum: values, type, items, anyOf, additionalProperties: rest, nullable, properties } = schema;
  const of = (one: Schema) => typeOf(one, isSent, named);
  const orNull = (text: string) => (nullable ? `${text} | null` : text);
  if ($ref) {
    const name = nameOf($ref);
    if (isOpenEnum(named.get(name))) return orNull(isSent ? name : `${name} | (string & {})`);
    return orNull(name);
  }
  if (values) {
    const texts = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
    return orNull(isSent || texts[0] === 'true' ? texts.join(' | ') : `${texts.join(' | ')} | (string & {})`);
  }
  if (anyOf) return orNull([...new Set(anyOf.map(of))].join(' | '));
  if (type === 'string' || type === 'boolean') return orNull(type);
  if (type === 'integer' || type === 'number') return orNull('number');
  if (type === 'array') return orNull(`readonly (${items ? of(items) : 'unknown'})[]`);
  if (type === 'object' || properties)
    return orNull(
      `Readonly<Record<string, ${typeof rest === 'object' && Object.keys(rest).length > 0 ? of(rest) : 'unknown'}>>`,
    );
  return 'unknown';
}

const comment = (text: string | undefined, indent: string) =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

function interfaceOf(
  name: string,
  schema: Schema,
  isSent: boolean,
  named: ReadonlyMap<string, Schema>,
): string {
  const { properties, required = [], enum: values, description } = schema;
  if (values) return `export type ${name} = ${typeOf({ enum: values }, true, named)};\n`;
  if (!properties) return `export type ${name} = ${typeOf(schema, isSent, named)};\n`;
  const members = Object.entries(properties).map(
    ([member, of]) =>
      `${comment(of.description, '  ')}  readonly ${propertyOf(member)}${required.includes(member) ? '' : '?'}: ${typeOf(of, isSent, named)};\n`,
  );
  return `${comment(description, '')}export interface ${name} {\n${members.join('')}}\n`;
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
const paramsOf = ({ id }: Operation) => `${capital(id)}Params`;

function answerOf(answer: Operation['answer'], named: ReadonlyMap<string, Schema>): string {
  if (answer === undefined) return 'void';
  return answer === 'text' ? 'string' : typeOf(answer, false, named);
}

function methodOf(operation: Operation, named: ReadonlyMap<string, Schema>): string {
  const { id, method, path, pathNames, members, answer, summary } = operation;
  const isNeeded = members.some(({ required }) => required);
  const head = [
    ...pathNames.map((name) => `${name}: string`),
    ...(members.length > 0 ? [`params: types.${paramsOf(operation)}${isNeeded ? '' : ' = {}'}`] : []),
    'options: CallOptions = {}',
  ];
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${name})}`);
  const names = (where: 'query' | 'body') =>
    members.filter((one) => one.in === where).map(({ name }) => JSON.stringify(name));
  const quoted = pathNames.length > 0 ? `\`${target}\`` : JSON.stringify(path);
  const result = answerOf(answer, named).replace(/\b([A-Z]\w+)\b/g, 'types.$1');
  const parts = [
    `method: ${JSON.stringify(method)}`,
    `path: ${quoted}`,
    `answer: ${JSON.stringify(answer === undefined ? 'none' : answer === 'text' ? 'text' : 'json')}`,
    ...(members.length > 0 ? ['params'] : []),
    ...(names('query').length > 0 ? [`query: [${names('query').join(', ')}]`] : []),
    ...(names('body').length > 0 ? ['hasBody: true'] : []),
  ];
  return `${comment(summary, '  ')}  ${id}(${head.join(', ')}): Promise<${result}> {\n    return this.call({ ${parts.join(', ')} }, options);\n  }\n`;
}

function typesFile(document: ClientDocument, operations: readonly Operation[], generatedBy: string): string {
  const named = namedSchemas(document.components.schemas);
  const answers = operations.flatMap(({ answer }) => (typeof answer === 'object' ? [answer] : []));
  const received = reachedFrom([...answers, { $ref: '#/Error' }, { $ref: '#/Change' }], named);
  const sent = reachedFrom(
    operations.flatMap(({ members }) => members.map(({ schema }) => schema)),
    named,
  );
  const some = [...named].filter(([name]) => received.has(name) || sent.has(name));
  const params = operations
    .filter(({ members }) => members.length > 0)
    .map((operation) => {
      const properties = Object.fromEntries(operation.members.map(({ name, schema }) => [name, schema]));
      const required = operation.members.filter((one) => one.required).map(({ name }) => name);
      return interfaceOf(paramsOf(operation), { properties, required }, true, named);
    });
  return [
    `/** Records, responses and parameters. ${generatedBy} */`,
    '',
    ...some.map(([name, schema]) => interfaceOf(name, schema, !received.has(name), named)),
    ...params,
  ].join('\n');
}

/** Files below clients/typescript/src/generated. */
export function typescriptFiles(
  document: ClientDocument,
  generatedBy: string,
): Readonly<Record<string, string>> {
  const operations = operationsOf(document);
  const named = namedSchemas(document.components.schemas);
  const methods = operations.map((operation) => methodOf(operation, named));
  return {
    'types.ts': typesFile(document, operations, generatedBy),
    'operations.ts': [
      `/** A method for each operation of the service. ${generatedBy} */`,
      '',
      "import { type CallOptions, Transport } from '../transport.js';",
      "import type * as types from './types.js';",
      '',
      'export class Operations extends Transport {',
      methods.join('\n'),
      '}',
      '',
    ].join('\n'),
  };
}
