import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unservedOperations } from '../../src/http/hooks/unknown-paths.ts';
import { type OpenApiDocument, operationsOf } from '../../test/support/openapi.ts';
import { sdkOperations, withoutNames } from '../../test/support/sdk-operations.ts';
import { readTestCalls, type TestCalls } from './test-calls.ts';

export interface CoveredOperation {
  /** `GET /api/memories/{id}` */
  readonly operation: string;
  readonly operationId: string;
  /** Whether the specification of the API has it. */
  readonly isSpecified: boolean;
  /** Test files that send requests of this operation, the most specific first. */
  readonly tests: readonly string[];
  /** The method of the public SDK and the test files that call it; undefined if the SDK has none. */
  readonly sdk: { readonly method: string; readonly tests: readonly string[] } | undefined;
}

export interface Coverage {
  readonly operations: readonly CoveredOperation[];
  /** Operations of the specification that the service lacks, each with the missing feature. */
  readonly missing: readonly { readonly operation: string; readonly lacking: string }[];
}

const shownMax = 2;

/** @param root of the repository */
export function coverageOf(root: string, document: OpenApiDocument): Coverage {
  const specified = readFileSync(join(root, 'scripts/api-coverage/specified.txt'), 'utf8').trim().split('\n');
  const specifiedShapes = new Set(specified.map(withoutNames));
  const shapes = operationsOf(document).map(({ method, path }) =>
    withoutNames(`${method.toUpperCase()} ${path}`),
  );
  const calls = readTestCalls(root).map((calls) => ({
    ...calls,
    requests: resolved(calls.requests, shapes),
  }));
  const operations = operationsOf(document).map(({ method, path, operation: { operationId } }) => {
    const operation = `${method.toUpperCase()} ${path}`;
    const shape = withoutNames(operation);
    return {
      operation,
      operationId,
      isSpecified: specifiedShapes.has(shape),
      tests: testsOf(operation, operationId, calls, shape),
      sdk: sdkTestsOf(shape, calls),
    };
  });
  const lackingBy = new Map(
    unservedOperations.map(({ operation, lacking }) => [withoutNames(operation), lacking]),
  );
  const missing = specified
    .filter((operation) => !shapes.includes(withoutNames(operation)))
    .map((operation) => ({
      operation,
      lacking: lackingBy.get(withoutNames(operation)) ?? 'nothing that says why',
    }));
  return { operations, missing };
}

/** The operations of requests: `GET /api/memories/named/plan` has the shape `GET /api/memories/named/{}`. */
function resolved(requests: ReadonlySet<string>, shapes: readonly string[]): ReadonlySet<string> {
  return new Set([...requests].flatMap((request) => shapeFor(request, shapes) ?? []));
}

/** The matching shape with the fewest parameters, as the router chooses it. */
function shapeFor(request: string, shapes: readonly string[]): string | undefined {
  const parts = request.replace(/\/$/, '').split('/');
  const fits = (shape: string) => {
    const own = shape.split('/');
    return own.length === parts.length && own.every((part, i) => part === '{}' || part === parts[i]);
  };
  const parameters = (shape: string) => shape.split('{}').length;
  return shapes.filter(fits).sort((a, b) => parameters(a) - parameters(b))[0];
}

/**
 * Test files that share most words with the operation, so that
 * unrelated tests do not change the table; else the first.
 */
function testsOf(
  operation: string,
  operationId: string,
  calls: readonly TestCalls[],
  shape: string,
): string[] {
  const words = wordsOf(`${operation} ${operationId}`);
  const likeness = (file: string) =>
    [...wordsOf(basename(file, '.test.ts'))].filter((word) => words.has(word)).length;
  const files = calls.filter(({ requests }) => requests.has(shape)).map(({ file }) => file);
  const sorted = files.sort((a, b) => likeness(b) - likeness(a) || (a < b ? -1 : 1));
  return sorted.filter((file, i) => i === 0 || likeness(file) > 0).slice(0, shownMax);
}

function wordsOf(text: string): Set<string> {
  const words =
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? [];
  return new Set(words.map((word) => word.replace(/(?:ies|y|s)$/, '')));
}

function sdkTestsOf(shape: string, calls: readonly TestCalls[]): CoveredOperation['sdk'] {
  const methods = sdkOperations.filter(({ operation }) => withoutNames(operation) === shape);
  if (methods.length === 0) return undefined;
  const [{ method }] = methods;
  const tests = calls.filter(
    ({ file, sdkMethods }) => file.startsWith('test/acceptance/sdk') && sdkMethods.has(method),
  );
  return { method, tests: tests.map(({ file }) => file) };
}

export function coveragePage({ operations, missing }: Coverage, generatedBy: string): string {
  const specified = operations.filter(({ isSpecified }) => isSpecified);
  const row = ({ operation, operationId, tests, sdk }: CoveredOperation) =>
    `| \`${operation}\` | ${operationId} | ${shown(tests)} | ${sdk ? `\`${sdk.method}\`: ${shown(sdk.tests)}` : 'not in the SDK'} |`;
  const table = (rows: readonly string[]) => [
    '| operation | operationId | tests | public SDK |',
    '| --- | --- | --- | --- |',
    ...rows,
  ];
  return [
    '# Coverage of the API',
    '',
    `<!-- ${generatedBy} -->`,
    '',
    'Every operation, and the tests that send such requests to a real service: at most two files, those named after it. Found',
    'in the code of the tests. `npm run check` fails where an operation has no test, or one of the public SDK is not called through',
    'the SDK. The examples of all operations are run as well (`test/http/openapi-examples.test.ts`), and all are asked for the',
    'records of another user (`test/prove/isolation.test.ts`). Tests over HTTP run on SQLite and PostgreSQL.',
    '',
    `## Operations of the specification (${specified.length} of ${specified.length + missing.length})`,
    '',
    ...table(specified.map(row)),
    ...(missing.length === 0
      ? []
      : [
          '',
          '### Not served yet',
          '',
          ...missing.map(({ operation, lacking }) => `- \`${operation}\`: memoryd has no ${lacking}`),
        ]),
    '',
    `## Further operations (${operations.length - specified.length})`,
    '',
    ...table(operations.filter(({ isSpecified }) => !isSpecified).map(row)),
    '',
  ].join('\n');
}

function shown(tests: readonly string[]): string {
  return tests.length === 0
    ? '**none**'
    : tests.map((file) => `\`${file.replace(/^test\//, '')}\``).join(', ');
}
