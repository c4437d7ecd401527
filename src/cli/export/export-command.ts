import { Command, Option } from 'commander';
import { toIso } from '../../domain/shared/time.ts';
import { systemClock } from '../../lib/clock.ts';
import { version } from '../../lib/version.ts';
import { print } from '../output/print.ts';
import { withBar } from '../output/progress-bar.ts';
import { note } from '../output/terminal.ts';
import { withStorage } from '../store/with-storage.ts';
import { standardStream } from '../transfer/input-file.ts';
import { openTarget, writeFile } from '../transfer/write-file.ts';
import { type Written, writeFolder } from './markdown-folder.ts';
import { conversationFieldsOf, factFieldsOf, layoutVersion, statedFieldsOf } from './record-fields.ts';
import { type Link, recordsOf, type StatedFact, type UserRecord } from './user-records.ts';

const layouts = ['archive', 'markdown', 'jsonl'] as const;

interface Options {
  readonly user?: string;
  readonly as: (typeof layouts)[number];
  readonly force: boolean;
}

type Counts = Written['counts'];
type Management = Parameters<Parameters<typeof withStorage>[0]>[0];

interface Request {
  readonly user: string;
  readonly path: string;
}

/** `memoryd export [--user NAME] [--as LAYOUT] PATH` */
export function exportCommand(): Command {
  return new Command('export')
    .option('--user <name>', 'whose records (default: the only user of the store)')
    .addOption(
      new Option(
        '--as <layout>',
        'archive: everything, for another store; markdown: a folder of notes; jsonl: a line a record',
      )
        .choices(layouts)
        .default('archive'),
    )
    .option('--force', 'of markdown: into a folder that has other files, or changed ones', false)
    .argument('<path>', 'a new file, or a folder for markdown, see docs/export.md; - is standard output')
    .action((path: string, { user, as, force }: Options) =>
      withStorage(async (management) => {
        const request = { user: user ?? (await onlyUser(management)), path };
        if (as === 'archive') await writeArchive(management, request);
        else if (as === 'jsonl') await writeLines(management, request);
        else await writeMarkdown(management, { ...request, force });
      }),
    );
}

async function onlyUser({ users }: Management): Promise<string> {
  const all = await users.list();
  if (all.length === 1) return all[0].name;
  throw new Error(
    `The store has ${all.length} users: say --user NAME (\`npx memoryd users list\` has their names).`,
  );
}

async function writeArchive({ transfer }: Management, { user, path }: Request): Promise<void> {
  const { rows } = await writeFile(transfer, { path, format: 'memoryd-export', user });
  const { memories = 0, conversations = 0, facts = 0 } = rows;
  report(
    `${memories} memories, ${conversations} conversations, ${facts} facts and all else of ${user}`,
    path,
  );
}

const describeCounts = ({ memory, conversation, artifact }: Counts, user: string) =>
  `${memory} memories, ${conversation} conversations and ${artifact} artifacts of ${user}`;

function report(written: string, path: string): void {
  if (path === standardStream) note(`Wrote ${written}.`);
  else print(`Wrote ${written} to ${path}.`);
}

/** Reads the records of a user in one state of the store, with a progress bar. */
function withRecords<T>(
  { transfer }: Management,
  user: string,
  body: (records: AsyncIterable<UserRecord>) => Promise<T>,
): Promise<T> {
  return transfer.readRecords(user, async (readers) => {
    const total = (await readers.memories.count()) + (await readers.conversations.count());
    return withBar('writing', 'records', (onProgress) =>
      body(
        (async function* () {
          let done = 0;
          for await (const record of recordsOf(readers)) {
            yield record;
            onProgress(Math.min(++done, total), total);
          }
        })(),
      ),
    );
  });
}

async function writeMarkdown(
  management: Management,
  { user, path, force }: Request & Pick<Options, 'force'>,
): Promise<void> {
  if (path === standardStream) throw new Error('Markdown needs a folder: - works with --as jsonl.');
  const { files, removed, counts } = await withRecords(management, user, (records) =>
    writeFolder(path, records, { force }),
  );
  const gone = removed === 0 ? '' : `; removed ${removed} of an earlier export`;
  print(`Wrote ${describeCounts(counts, user)} to ${path}: ${files} files${gone}.`);
}

const bufferLengthMax = 256 * 1024;

async function writeLines(management: Management, { user, path }: Request): Promise<void> {
  const counts = { conversation: 0, memory: 0, fact: 0, artifact: 0 };
  const target = await openTarget(path);
  try {
    await withRecords(management, user, async (records) => {
      let buffer = `${JSON.stringify(headLine(systemClock.now()))}\n`;
      for await (const record of records) {
        counts[record.kind]++;
        buffer += `${JSON.stringify(lineOf(record))}\n`;
        if (buffer.length < bufferLengthMax) continue;
        await target.write(Buffer.from(buffer));
        buffer = '';
      }
      await target.write(Buffer.from(`${buffer}${JSON.stringify({ kind: 'end', counts })}\n`));
    });
    await target.finish();
  } catch (error) {
    await target.discard();
    throw error;
  }
  report(describeCounts(counts, user), path);
}

/** The first line: by it `memoryd import` knows the file. */
const headLine = (at: number) => ({
  kind: 'export',
  layout: 'memoryd-lines',
  version: layoutVersion,
  memoryd: version,
  at: toIso(at),
});

const linkFields = ({ type, target: { id, externalId }, reason }: Link) => ({
  type,
  to: id,
  ...(externalId !== null && { toExternalId: externalId }),
  ...(reason !== null && { reason }),
});

const factFields = (fact: StatedFact) => ({ ...factFieldsOf(fact), confidence: fact.confidence });

/** A record as one object, its times in ISO 8601. */
function lineOf(record: UserRecord): object {
  if (record.kind === 'conversation') {
    const { conversation } = record;
    const createdAt = toIso(conversation.createdAt);
    return { kind: 'conversation', ...conversationFieldsOf(conversation), createdAt };
  }
  if (record.kind === 'memory') {
    const { memory, links, facts } = record;
    const { id, conversationId, content, topics, createdAt, updatedAt, effectiveState } = memory;
    return {
      kind: 'memory',
      id,
      conversationId,
      content,
      topics,
      ...statedFieldsOf(memory),
      createdAt: toIso(createdAt),
      updatedAt: toIso(updatedAt),
      effectiveState,
      ...(links.length > 0 && { relationships: links.map(linkFields) }),
      ...(facts.length > 0 && { facts: facts.map(factFields) }),
    };
  }
  if (record.kind === 'fact') {
    return { kind: 'fact', ...factFields(record.fact), createdAt: toIso(record.fact.createdAt) };
  }
  const { artifact } = record;
  const stated = Object.entries(artifact).filter(([, value]) => value !== null);
  return {
    kind: 'artifact',
    ...Object.fromEntries(stated),
    memoryExternalId: record.memory?.externalId ?? undefined,
    createdAt: toIso(artifact.createdAt),
    updatedAt: toIso(artifact.updatedAt),
  };
}
