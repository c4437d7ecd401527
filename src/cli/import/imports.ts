import { Command } from 'commander';
import type { Static } from 'typebox';
import type { ImportSchema, UndoneSchema } from '../../http/routes/memories/imports.ts';
import { type Listed, printListed, shortId } from '../client/listing.ts';
import {
  type AskOptions,
  type PageOptions,
  pagedCommand,
  Service,
  serviceCommand,
} from '../client/service.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printJson } from '../output/print.ts';

type ImportRecord = Static<typeof ImportSchema>;

const listedDefault = 20;
const searchedAtOnce = 1000;
const columns: readonly Column<ImportRecord>[] = [
  { heading: 'ID', valueIn: ({ id }) => shortId(id), format: 'yellow' },
  { heading: 'BEGUN', valueIn: ({ createdAt }) => showTime(createdAt), format: 'dim' },
  { heading: 'STORED', valueIn: ({ created }) => created, align: 'right' },
  { heading: 'UPDATED', valueIn: ({ updated }) => updated, align: 'right' },
  { heading: 'UNCHANGED', valueIn: ({ unchanged }) => unchanged, align: 'right' },
  { heading: 'IN TRASH', valueIn: ({ inTrash }) => inTrash, align: 'right' },
  { heading: 'REFUSED', valueIn: ({ refused }) => refused, align: 'right' },
  { heading: 'UNDONE', valueIn: ({ undoneAt }) => (undoneAt === undefined ? '' : showTime(undoneAt)) },
  { heading: 'SOURCE', valueIn: ({ source }) => source, isFlexible: true },
];

/** `memoryd imports list|undo|restore` */
export function importsCommand(): Command {
  return new Command('imports').addCommand(listCommand()).addCommand(undoCommand()).addCommand(redoCommand());
}

function listCommand(): Command {
  return pagedCommand('list', listedDefault)
    .description('list imports, the newest first, with their counts')
    .action(async (options: PageOptions) => {
      const { limit, offset } = options;
      const listed = await new Service(options).get<Listed<ImportRecord>>('/api/imports', { limit, offset });
      printListed(listed, { columns, none: 'Nothing was imported yet.' }, options);
    });
}

function undoCommand(): Command {
  return serviceCommand('undo')
    .description('move all that an import stored to the trash')
    .argument('<id>', 'of an import; its beginning is enough')
    .action(async (beginning: string, options: AskOptions) => {
      const service = new Service(options);
      const { id } = await findImport(service, beginning);
      const { body } = await service.ask({ method: 'DELETE', path: `/api/imports/${id}` });
      if (options.json) return printJson(body);
      const { memories, conversations, versions, keptEdits } = body.data as Static<typeof UndoneSchema>;
      print(`Moved to the trash: memories ${memories}, conversations ${conversations}`);
      if (versions > 0) print(`Given their text from before: memories ${versions}`);
      if (keptEdits > 0) print(`Changed again since, and left as they are: memories ${keptEdits}`);
      print(`  npx memoryd imports restore ${id}   brings them back`);
    });
}

function redoCommand(): Command {
  return serviceCommand('restore')
    .description('bring back from the trash what an undo of an import moved there')
    .argument('<id>', 'of an import; its beginning is enough')
    .action(async (beginning: string, options: AskOptions) => {
      const service = new Service(options);
      const { id } = await findImport(service, beginning);
      const { body } = await service.ask({ method: 'POST', path: `/api/imports/${id}/restore`, body: {} });
      if (options.json) return printJson(body);
      const { memories, versions } = body.data as { memories: number; versions: number };
      print(`Restored: memories ${memories}`);
      if (versions > 0) print(`Given the text of the import again: memories ${versions}`);
    });
}

/** @throws Error unless exactly one of the user's imports has this id or beginning of an id */
async function findImport(service: Service, beginning: string): Promise<ImportRecord> {
  const found: ImportRecord[] = [];
  for (let offset = 0; ; offset += searchedAtOnce) {
    const query = { limit: searchedAtOnce, offset };
    const { data, pagination } = await service.get<Listed<ImportRecord>>('/api/imports', query);
    found.push(...data.filter(({ id }) => id.startsWith(beginning.toLowerCase())));
    if (data.length === 0 || offset + data.length >= pagination.count) break;
  }
  if (found.length === 1) return found[0];
  if (found.length === 0)
    throw new Error(`No import has the id ${beginning}: \`npx memoryd imports list\` lists them.`);
  throw new Error(`Several imports have an id that begins with ${beginning}.`);
}
