import { parseJson } from '../../../../lib/json.ts';
import type { InputFile } from '../reader.ts';
import { jsonElements, type ReadJson } from './json.ts';

const documentBytesMax = 64 * 1024 * 1024;

/** The elements of a JSON list as a stream, or the document as one value if it is an object, of at most 64 MiB. */
export async function* jsonObjects(file: InputFile): AsyncGenerator<ReadJson> {
  if (!/^\s*\{/.test(await file.head(1024))) yield* jsonElements(file);
  else yield { at: file.path, member: undefined, number: 1, size: file.size, ...(await wholeOf(file)) };
}

async function wholeOf(file: InputFile): Promise<Pick<ReadJson, 'value' | 'refusal'>> {
  try {
    return { value: parseJson(await file.text(documentBytesMax)) };
  } catch (error) {
    return { refusal: `it cannot be read: ${(error as Error).message}` };
  }
}

/** The text of a file of at most 16 MiB, or the reason why it has none. */
export async function textOrRefusal(
  file: InputFile,
): Promise<{ readonly text: string } | { readonly refusal: string }> {
  try {
    return { text: await file.text() };
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}
