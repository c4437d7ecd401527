import { hash } from 'node:crypto';
import { parseTime } from '../../../../domain/shared/time.ts';
import {
  ExternalIds,
  type Fields,
  type RecordSource,
  type RefusedRecord,
  type Statement,
  statementOfElement,
  statementOfLine,
} from '../../statement.ts';
import {
  anyFile,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
  type ReadOptions,
} from '../reader.ts';
import { isFields } from '../shared/fields.ts';
import { jsonElements, jsonLines, type ReadJson } from '../shared/json.ts';
import { fileName } from '../shared/texts.ts';

const headBytes = 64 * 1024;
const lineBytesMax = 4 * 1024 * 1024;

/** A JSON object over several lines. */
const indentedMark = /^\s*\{\s*(?:[\r\n]|$)/;
const arrayMark = /^\s*\[\s*(?:[{\]]|$)/;
const textMark = /"(content|text|memory|body)"\s*:\s*"/;

/** How the records of a file are laid out; undefined: it has none. */
type Layout = 'lines' | 'list';

async function layoutOf(file: InputFile): Promise<Layout | undefined> {
  const head = await file.head(headBytes);
  if (indentedMark.test(head) || !textMark.test(head)) return undefined;
  if (arrayMark.test(head)) return 'list';
  return /^\s*\{/m.test(head) ? 'lines' : undefined;
}

/** JSON Lines of memories, and the array of `POST /api/memories/export`, with our names or common others. */
export const jsonl: Reader = {
  format: 'jsonl',
  title: 'JSON Lines of memories',
  isOwn: true,
  recognises: (input) => anyFile(input, async (file) => (await layoutOf(file)) !== undefined),
  async *read(input, options) {
    const ids = new ExternalIds((text) => hash('sha256', text, 'base64url'));
    for (const file of input.files) {
      const layout = await layoutIn(input, file);
      if (layout === undefined) yield { kind: 'leftOut', reason: 'other file' };
      else yield* recordsOf(file, layout, { ids, options });
    }
  },
};

/** A file that was named is read, whatever is in it. */
async function layoutIn({ files }: Input, file: InputFile): Promise<Layout | undefined> {
  const layout = await layoutOf(file);
  if (layout !== undefined || files.length > 1) return layout;
  return arrayMark.test(await file.head(headBytes)) ? 'list' : 'lines';
}

interface ReadState {
  readonly ids: ExternalIds;
  readonly options: ReadOptions;
}

async function* recordsOf(
  file: InputFile,
  layout: Layout,
  { ids, options }: ReadState,
): AsyncGenerator<ImportRecord> {
  const source = { file: fileName(file.path).replace(/\.\w+$/, ''), format: 'jsonl' };
  const all = layout === 'list' ? jsonElements(file) : jsonLines(file, lineBytesMax);
  for await (const read of all) {
    const made = recordOf(read, { layout, source, options });
    if ('refusal' in made) yield { kind: 'refused', at: read.at, reason: made.refusal };
    else {
      const { conversation: title } = made;
      const conversation = title === undefined ? undefined : `title:${title}`;
      if (title !== undefined && conversation !== undefined)
        yield { kind: 'conversation', externalId: conversation, title };
      yield { kind: 'memory', at: read.at, conversation, body: ids.withId(made) };
    }
    yield { kind: 'read', size: read.size };
  }
}

/** Sentences for the rules that a record breaks. */
const sentences = {
  sessionStart: () => 'sessionStart must be a text',
  conversation: () => 'conversation must be text',
  twoConversations: () => 'conversation and conversationId cannot both be given',
  hasState: (state = '') => `the memory is ${state}, and only memoryd export keeps states`,
} as const;

interface RecordRules {
  readonly layout: Layout;
  readonly source: RecordSource;
  readonly options: ReadOptions;
}

type Made = Statement | { readonly refusal: string };

function recordOf({ value, refusal }: ReadJson, { layout, source, options }: RecordRules): Made {
  if (refusal !== undefined) return { refusal: refusal.replace(/^it is/, 'the line is') };
  if (!isFields(value))
    return { refusal: `the ${layout === 'list' ? 'memory' : 'line'} must be a JSON object` };
  const record = renamed(value, options.map);
  const unreadable = layout === 'lines' ? timeRefusal(record.sessionStart) : undefined;
  if (unreadable !== undefined) return { refusal: unreadable };
  const made = layout === 'list' ? statementOfElement(record, source) : statementOfLine(record, source);
  return 'rule' in made ? refusalOf(made) : made;
}

/** The error for an unreadable `sessionStart`: the server's would name `eventTime`, which the line may not have. */
function timeRefusal(sessionStart: unknown): string | undefined {
  if (typeof sessionStart !== 'string') return undefined;
  try {
    parseTime(sessionStart, 'sessionStart');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function refusalOf({ rule, detail }: RefusedRecord): Made {
  return { refusal: sentences[rule](detail) };
}

/** The record with the fields of `--map`. */
export function renamed(record: Fields, map: ReadonlyMap<string, string>): Fields {
  if (map.size === 0) return record;
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [map.get(name) ?? name, value]));
}
