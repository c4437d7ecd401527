import { type Line, linesOf } from '../../../../lib/async.ts';
import { parseJson } from '../../../../lib/json.ts';
import { elementsOf, type JsonElement } from '../../json-elements.ts';
import { type InputFile, UnreadableError } from '../reader.ts';

/** Bytes of one element or line; parsed it takes a few times as many. */
const jsonBytesMax = 32 * 1024 * 1024;

/** An element of a list, or a line, with its value or the reason why it has none. */
export interface ReadJson {
  /** Its place in messages: "conversations.json, element 3". */
  readonly at: string;
  /** Member of the outermost object whose list it is in, or whose value it is; undefined: none. */
  readonly member: string | undefined;
  /** From 1; 0: the value of a member that is not a list. */
  readonly number: number;
  /** Bytes of the file from the element before to its end, for progress. */
  readonly size: number;
  readonly value?: unknown;
  readonly refusal?: string;
  /** The last line of the file, without a line end, if it cannot be read: it may still be written to. */
  readonly isCut?: true;
}

/**
 * The elements of a JSON list, or of the lists that are members of a JSON object, read as a stream: `{"results": […]}`
 * has elements with `member` "results"; a member of another kind comes as one element with `number` 0.
 */
export function jsonElements(file: InputFile, bytesMax = jsonBytesMax): AsyncGenerator<ReadJson> {
  return orRefusal(file, elementsIn(file, bytesMax));
}

/** A file that cannot be read to its end costs its rest, not the others. */
async function* orRefusal(file: InputFile, elements: AsyncIterable<ReadJson>): AsyncGenerator<ReadJson> {
  try {
    yield* elements;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const refusal = `it cannot be read any further: ${error.reason}`;
    yield { at: file.path, member: undefined, number: 1, size: 0, refusal };
  }
}

async function* elementsIn(file: InputFile, bytesMax: number): AsyncGenerator<ReadJson> {
  let done = 0;
  for await (const element of elementsOf(file.bytes(), bytesMax)) {
    const { member, number, end } = element;
    const inMember = member === undefined ? '' : `"${member}", `;
    const at = `${file.path}, ${number === 0 ? `"${member}"` : `${inMember}element ${number}`}`;
    yield { at, member, number, size: end - done, ...parsedValueOf(element, bytesMax) };
    done = end;
  }
}

function parsedValueOf({ bytes, fault }: JsonElement, bytesMax: number): Pick<ReadJson, 'value' | 'refusal'> {
  if (fault === 'listCut') return { refusal: 'the file breaks off here' };
  if (fault === 'afterList') return { refusal: 'more follows the end of the JSON' };
  if (bytes === undefined) return { refusal: `it is longer than ${inMebibytes(bytesMax)} MiB` };
  return parsed(bytes);
}

const inMebibytes = (bytes: number) => bytes / 1024 / 1024;
const decoder = new TextDecoder('utf-8', { fatal: true });

function parsed(bytes: Uint8Array): Pick<ReadJson, 'value' | 'refusal'> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { refusal: 'it is not UTF-8' };
  }
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { refusal: `it is not JSON: ${(error as SyntaxError).message}` };
  }
}

/** The lines of a file of JSON Lines, without empty ones. */
export function jsonLines(file: InputFile, bytesMax = jsonBytesMax): AsyncGenerator<ReadJson> {
  return orRefusal(file, linesIn(file, bytesMax));
}

async function* linesIn(file: InputFile, bytesMax: number): AsyncGenerator<ReadJson> {
  for await (const lines of linesOf(file.bytes(), bytesMax))
    for (const line of lines) {
      const read = lineOf(line, bytesMax);
      if (read !== undefined)
        yield {
          at: `${file.path}, line ${line.number}`,
          member: undefined,
          number: line.number,
          size: line.length,
          ...read,
        };
    }
}

function lineOf({ bytes, length }: Line, bytesMax: number): Partial<ReadJson> | undefined {
  if (bytes === undefined) return { refusal: `the line is longer than ${inMebibytes(bytesMax)} MiB` };
  if (isBlank(bytes)) return undefined;
  const read = parsed(bytes);
  return read.refusal !== undefined && length === bytes.length ? { ...read, isCut: true } : read;
}

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13));

/**
 * Whether the beginning of a JSON document has a member of one of these names. Quotes within texts are escaped, so a name
 * cannot come from a text.
 * @param names as a part of a regular expression
 * @param value the beginning of its value, as a regular expression; default: any
 */
export function hasMember(head: string, names: string, value = ''): boolean {
  return new RegExp(`(?<!\\\\)"(?:${names})"\\s*:\\s*${value}`).test(head);
}
