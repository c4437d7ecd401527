import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { withOwnNames } from '../../statement.ts';
import {
  anyFile,
  type Fields,
  type ImportRecord,
  type InputFile,
  type Reader,
  type ReadOptions,
} from '../reader.ts';
import { fileName, idOf } from '../shared/texts.ts';
import { renamed } from './jsonl.ts';

const headBytes = 16 * 1024;
const recordBytesMax = 4 * 1024 * 1024;
const textNames = /^(content|text|memory|body)$/i;

/** The sign between columns: the most frequent of three in the first line. */
function delimiterOf(head: string): string {
  const [line] = head.split('\n', 1);
  const counted = [',', ';', '\t'].map((sign) => ({ sign, count: line.split(sign).length }));
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).sign;
}

async function isCsv(file: InputFile): Promise<boolean> {
  if (!/\.[ct]sv$/i.test(file.path)) return false;
  const [line] = (await file.head(headBytes)).split('\n', 1);
  const names = line.split(/[,;\t]/).map((name) => name.trim().replace(/^"|"$/g, ''));
  return names.some((name) => textNames.test(name));
}

/** Tables of memories, a row each, with the names of their columns in the first row. */
export const csv: Reader = {
  format: 'csv',
  title: 'CSV of memories',
  recognises: (input) => anyFile(input, isCsv),
  async *read({ files }, options) {
    for (const file of files) {
      if (files.length > 1 && !/\.[ct]sv$/i.test(file.path)) yield { kind: 'leftOut', reason: 'other file' };
      else yield* rowsOf(file, options);
    }
  },
};

interface Row {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly bytes: number };
}

async function* rowsOf(file: InputFile, options: ReadOptions): AsyncGenerator<ImportRecord> {
  const parser = Readable.from(file.bytes(), { objectMode: false }).pipe(
    parse({
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      delimiter: delimiterOf(await file.head(headBytes)),
      info: true,
      max_record_size: recordBytesMax,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  );
  let done = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      yield* recordOf(record, `${file.path}, line ${info.lines}`, { file, options });
      yield { kind: 'read', size: info.bytes - done };
      done = info.bytes;
    }
  } catch (error) {
    yield { kind: 'refused', at: file.path, reason: `the rest cannot be read: ${(error as Error).message}` };
  }
}

interface RowPlace {
  readonly file: InputFile;
  readonly options: ReadOptions;
}

function* recordOf(row: Fields, at: string, { file, options }: RowPlace): Generator<ImportRecord> {
  const given = Object.fromEntries(
    Object.entries(renamed(row, options.map)).filter(([, value]) => String(value).trim() !== ''),
  );
  const source = { file: fileName(file.path).replace(/\.\w+$/, ''), format: 'csv' };
  const unreadable: string[] = [];
  const own = withOwnNames(lowerCase(given), source, (name, field, value) => {
    const isTime = field === 'createdAt' || field === 'eventTime';
    if (isTime && value === undefined) unreadable.push(`the ${name} ${String(given[name])} is not ISO 8601`);
  });
  const { conversation: title, ...body } = own;
  if (typeof body.content !== 'string') return yield { kind: 'leftOut', reason: 'row without text' };
  for (const reason of unreadable) yield { kind: 'noted', at, reason };
  const conversation = typeof title === 'string' ? `title:${title}` : undefined;
  if (conversation !== undefined)
    yield { kind: 'conversation', externalId: conversation, title: String(title) };
  const externalId = String(body.externalId ?? `csv:${idOf(given)}`);
  const topics =
    typeof body.topics === 'string' ? { topics: body.topics.split(/[,;]/).map((each) => each.trim()) } : {};
  yield { kind: 'memory', at, conversation, body: { ...body, ...topics, externalId } };
}

/** Headings are often capitalised; our own names have capitals within. */
function lowerCase(row: Fields): Fields {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      /^[A-Z][a-z_]+$/.test(name) ? name.toLowerCase() : name,
      value,
    ]),
  );
}
