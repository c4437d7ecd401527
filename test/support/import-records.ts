import { withInputs } from '../../src/cli/import/input/open-inputs.ts';
import type {
  ImportRecord,
  Input,
  InputFile,
  Reader,
  ReadOptions,
} from '../../src/cli/import/readers/reader.ts';

const options: ReadOptions = { map: new Map(), only: new Set(), since: undefined };

/** An input of files in memory: texts by path. */
export function inputOf(files: Readonly<Record<string, string>>): Input {
  return { name: 'test', files: Object.entries(files).map(([path, text]) => fileOf(path, text)) };
}

function fileOf(path: string, text: string): InputFile {
  const whole = Buffer.from(text);
  return {
    path,
    size: whole.length,
    modifiedAt: undefined,
    async *bytes() {
      yield whole;
    },
    text: () => Promise.resolve(text),
    head: (bytes) => Promise.resolve(whole.subarray(0, bytes).toString()),
    diskPath: () => Promise.reject(new Error('the file is in memory')),
  };
}

export async function recordsOf(
  reader: Reader,
  input: Input,
  given: Partial<ReadOptions> = {},
): Promise<ImportRecord[]> {
  const records: ImportRecord[] = [];
  for await (const record of reader.read(input, { ...options, ...given })) records.push(record);
  return records;
}

/** Records of a sample below `test/data/imports`, and whether the reader recognises it. */
export async function readSample(reader: Reader, path: string) {
  const named = { path: `test/data/imports/${path}`, name: path };
  return withInputs([named], async ([input]) => ({
    isRecognised: await reader.recognises(input),
    records: await recordsOf(reader, input),
  }));
}

/** The records of one kind. */
export function ofKind<K extends ImportRecord['kind']>(records: readonly ImportRecord[], kind: K) {
  return records.filter((record): record is ImportRecord & { readonly kind: K } => record.kind === kind);
}

/** Counts of records that are left out, by reason. */
export function leftOutOf(records: readonly ImportRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason, count = 1 } of ofKind(records, 'leftOut'))
    counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

/** Values that take the place of any other. */
const replacements: readonly unknown[] = [null, 7, '', 'text', true, [], {}, [null], { a: null }, undefined];

/**
 * Copies of a JSON value of which each has one member, at any depth, replaced by a value of another type, or taken out.
 */
export function* brokenVariants(
  value: unknown,
): Generator<{ readonly place: string; readonly variant: unknown }> {
  for (const path of placesOf(value, []))
    for (const replacement of replacements)
      yield {
        place: `${path.join('.')} = ${JSON.stringify(replacement)}`,
        variant: replaced(value, path, replacement),
      };
}

function* placesOf(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) yield* placesOf(member, [...path, key]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const member = replaced((value as Record<string, unknown>)[key], rest, by);
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? member : item));
  return { ...(value as Record<string, unknown>), [key]: member };
}
