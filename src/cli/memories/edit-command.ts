import type { Command } from 'commander';
import { editor } from '../../config/load.ts';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { note } from '../output/terminal.ts';
import { EditedFile } from './edit-in-editor.ts';
import { type FoundMemory, findMemory } from './find-memory.ts';
import { addFieldOptions, type FieldOptions, toFields } from './memory-fields.ts';
import { readText } from './read-text.ts';

type Options = AskOptions & FieldOptions;

const nothingGiven =
  'say what to change: the new text, - for standard input, or an option; without them it opens an editor where there is a terminal';

/** `memoryd edit ID|NAME [TEXT|-]` */
export function editCommand(print: Print): Command {
  return addFieldOptions(serviceCommand('edit'))
    .argument('<id>', 'of a memory: its beginning is enough; or its name')
    .argument(
      '[text...]',
      'the new text; - reads standard input; without it, and without options, $EDITOR is opened',
    )
    .action(async (reference: string, words: readonly string[], options: Options, command: Command) => {
      const fields = toFields(options);
      const isStated = Object.values(fields).some((value) => value !== undefined);
      const byHand = words.length === 0 && !isStated;
      if (byHand && !(process.stdin.isTTY && process.stdout.isTTY)) command.error(`error: ${nothingGiven}`);
      const service = new Service(options);
      const found = await findMemory(service, reference);
      const save = (content?: string) => update(service, found, { content, ...fields });
      const content = words.length === 0 ? undefined : await readText(words);
      const body = byHand ? await editByHand(found, save) : await save(content);
      if (body === undefined) note('Nothing was changed.');
      else if (options.json) printJson(print, body);
      else print(`Changed ${(body.data as MemoryRecord).id}`);
    });
}

/** @throws RefusedError, with 412 if the memory has changed since it was read */
async function update(service: Service, { memory, etag }: FoundMemory, body: object) {
  return (await service.ask({ method: 'PUT', path: `/api/memories/${memory.id}`, body, ifMatch: etag })).body;
}

/** A text that cannot be stored stays in its file: it is a person's work. */
async function editByHand({ memory }: FoundMemory, save: (text: string) => ReturnType<typeof update>) {
  const file = new EditedFile(memory.content);
  let text: string | undefined;
  try {
    text = file.edit(editor());
    const body = text === undefined ? undefined : await save(text);
    file.remove();
    return body;
  } catch (error) {
    if (file.read() === undefined) {
      file.remove();
      throw error;
    }
    throw new Error(`${(error as Error).message} What you wrote is in ${file.path}`, { cause: error });
  }
}
