import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import { trashKinds } from '../../domain/trash/trash.ts';
import type { TrashEntrySchema } from '../../http/routes/trash.ts';
import { showTime } from '../output/local-time.ts';
import { type Column, print, printJson } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { cutToWidth, printableLine } from '../output/text.ts';
import { findMemory } from './find-memory.ts';
import { type Listed, printListed, shortId } from './listing.ts';
import { type AskOptions, type PageOptions, pagedCommand, Service, serviceCommand } from './service.ts';

interface Forgotten {
  readonly id: string;
  readonly content: string;
  /** End of the time to restore it; absent if it was erased at once. */
  readonly expiresAt: string | undefined;
}

const shownWidth = 60;

/** `memoryd forget ID|NAME...` */
export function forgetCommand(): Command {
  return serviceCommand('forget')
    .argument('<id...>', 'of memories: their beginnings are enough; or their names')
    .action(async (references: readonly string[], options: AskOptions) => {
      const service = new Service(options);
      const done: Forgotten[] = [];
      for (const reference of references) {
        try {
          done.push(await forget(service, reference));
        } catch (error) {
          note(`memoryd: ${(error as Error).message}`);
          process.exitCode = 1;
        }
      }
      if (options.json) printJson({ data: done });
      else done.flatMap(describe).forEach(print);
    });
}

async function forget(service: Service, reference: string): Promise<Forgotten> {
  const { memory, etag } = await findMemory(service, reference);
  await service.ask({ method: 'DELETE', path: `/api/memories/${memory.id}`, ifMatch: etag });
  const [entry] = await findTrashEntries(service, memory.id, 1);
  return { id: memory.id, content: memory.content, expiresAt: entry?.expiresAt };
}

function describe({ id, content, expiresAt }: Forgotten): string[] {
  const text = cutToWidth(printableLine(content), shownWidth);
  if (expiresAt === undefined) return [`Erased for good, as MEMORYD_TRASH_DAYS is 0: ${text}`];
  return [
    `Moved to the trash: ${text}`,
    `  npx memoryd restore ${id}   brings it back, until ${showTime(expiresAt)}`,
  ];
}

interface ListOptions extends PageOptions {
  readonly kind?: string;
}

const entriesDefault = 20;
const columns: readonly Column<TrashEntryRecord>[] = [
  { heading: 'ID', valueIn: ({ recordId }) => shortId(recordId), format: 'yellow' },
  { heading: 'KIND', valueIn: ({ kind }) => kind },
  { heading: 'DELETED', valueIn: ({ deletedAt }) => showTime(deletedAt), format: 'dim' },
  { heading: 'KEPT UNTIL', valueIn: ({ expiresAt }) => showTime(expiresAt), format: 'dim' },
  { heading: 'TEXT', valueIn: ({ title }) => title, isFlexible: true },
];

/** `memoryd trash` */
export function trashCommand(): Command {
  return pagedCommand('trash', entriesDefault)
    .addOption(new Option('--kind <kind>', 'only records of this kind').choices(trashKinds))
    .action(async (options: ListOptions) => {
      const { limit, offset, kind } = options;
      const listed = await new Service(options).get<Listed<TrashEntryRecord>>('/api/trash', {
        limit,
        offset,
        kind,
      });
      printListed(listed, { columns, none: 'The trash is empty.' }, options);
    });
}

interface RestoreOptions extends AskOptions {
  readonly yes?: true;
}

/** `memoryd restore ID|FILE`: a deleted record by its id, or the whole store from a backup. */
export function restoreCommand(): Command {
  return serviceCommand('restore')
    .argument(
      '<id-or-file>',
      'id of what was deleted, or its beginning; or a file of `memoryd backup`, or - for standard input',
    )
    .option('--yes', 'with a file: replace what the store holds')
    .action(async (what: string, options: RestoreOptions) => {
      if (what !== '-' && !existsSync(what)) {
        if (isRecordId(what)) return restoreFromTrash(what, options);
        throw new Error(
          `There is no file ${what}, and it is not an id: \`npx memoryd trash\` lists those of what was deleted.`,
        );
      }
      // Only a backup needs the store: a deleted record is asked for over HTTP.
      const { restoreBackup } = await import('../store/backup.ts');
      await restoreBackup(what, { replace: options.yes ?? false });
      const source = what === '-' ? 'the backup' : what;
      print(`The store is as it was when ${source} was made. Start memoryd again.`);
    });
}

const shownMax = 5;
/** Some kinds of records have their kind in their ids. */
const recordId = /^(?:[a-z]+_)?[0-9a-f-]{6,36}$/i;

/** Whether a text may be the id of a record of any kind, or the beginning of one. */
export function isRecordId(text: string): boolean {
  return recordId.test(text);
}

/**
 * Restores a deleted record.
 * @param id of the record or of its entry, or the beginning of one
 * @throws Error if nothing in the trash, or more than one entry, has this id
 */
export async function restoreFromTrash(id: string, options: AskOptions): Promise<void> {
  const service = new Service(options);
  const entry = await findOne(service, id);
  const { body } = await service.ask({ method: 'POST', path: `/api/trash/${entry.id}/restore`, body: {} });
  if (options.json) printJson(body);
  else print(`Restored the ${entry.kind} ${entry.recordId}: ${printableLine(entry.title)}`);
}

async function findOne(service: Service, id: string): Promise<TrashEntryRecord> {
  const [entry, ...others] = await findTrashEntries(service, id, shownMax);
  if (!entry)
    throw new Error(`Nothing in the trash has the id ${id}. \`npx memoryd trash\` lists what is there.`);
  if (others.length === 0) return entry;
  const ids = [entry, ...others].map(({ kind, recordId }) => `${kind} ${recordId}`);
  throw new Error(`Several ids in the trash begin with ${id}: ${ids.join(', ')}`);
}

type TrashEntryRecord = Static<typeof TrashEntrySchema>;

const pageSize = 100;

/**
 * The entries whose own id or record's id begins with `beginning`, the last
 * deleted first. Stops at `max` entries, or at one with exactly this id.
 */
export async function findTrashEntries(
  service: Service,
  beginning: string,
  max: number,
): Promise<TrashEntryRecord[]> {
  const id = beginning.toLowerCase();
  const found: TrashEntryRecord[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const { data, pagination } = await service.get<Listed<TrashEntryRecord>>('/api/trash', {
      limit: pageSize,
      offset,
    });
    const whole = data.find((entry) => entry.recordId === id || entry.id === id);
    if (whole) return [whole];
    found.push(...data.filter((entry) => entry.recordId.startsWith(id) || entry.id.startsWith(id)));
    if (found.length >= max || offset + pageSize >= pagination.count) return found.slice(0, max);
  }
}
