import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { awaitSteps } from '../test/support/await-steps.ts';
import { type Client, client } from '../test/support/http-client.ts';
import { type Engine, newDatabase, startServer } from '../test/support/server.ts';
import { importConversation } from './locomo/import-conversation.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { readTalks } from './talks/read-talks.ts';

const file = 'bench/data/changed/decisions.tsv';
/** Users whose sessions and notes surround the decisions in the store. */
const background = ['team-1', 'assistant-1', 'notes-2'];
const [olderAt, newerAt] = ['2025-03-04T10:00:00.000Z', '2025-05-06T10:00:00.000Z'];
const resultsMax = 50;

interface Changed {
  readonly kind: string;
  readonly older: string;
  readonly newer: string;
  readonly question: string;
  readonly half: 'development' | 'locked';
}

interface Placed {
  readonly changed: Changed;
  /** Rank from 0; -1 if the statement is not among the results. */
  readonly older: number;
  readonly newer: number;
}

/**
 * Measures how often the newer statement of a changed decision
 * ranks before the older one, by half and method.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      recency: { type: 'string' },
      show: { type: 'boolean', default: false },
      locked: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const environment = describeEnvironment();
  const database = await newDatabase(values.engine as Engine);
  const server = await startServer({ databaseUrl: database.url });
  try {
    const http = client(server.url, server.key);
    const all = readChanged();
    const ids = await store(http, all);
    const rows: string[][] = [];
    for (const recency of values.recency?.split(',') ?? [undefined])
      for (const method of ['hybrid', 'semantic', 'keyword'])
        for (const half of values.locked
          ? (['development', 'locked'] as const)
          : (['development'] as const)) {
          const own = all.filter((changed) => changed.half === half);
          const placed: Placed[] = [];
          for (const changed of own)
            placed.push(await place(http, changed, ids, { searchMethod: method, ...toRecency(recency) }));
          rows.push([`${method}, ${half}`, recency ?? 'default', ...toCells(placed)]);
          if (values.show && half === 'development')
            for (const { changed, older, newer } of placed.filter((each) => !isValid(each)))
              console.log(`${method} ${newer} after ${older}: ${changed.question}`);
        }
    const head = ['method, half', 'recency', 'questions', 'valid before outdated', 'valid in first 10'];
    console.log(toTable(head, rows));
    console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
    console.log(`JSON: ${writeResult('changed', { environment, rows }, values.out)}`);
  } finally {
    await server.stop();
    await database.drop();
  }
}

const toRecency = (recency: string | undefined) =>
  recency === undefined ? {} : { recency: Number(recency) };

/** Whether the newer statement is found and ranks first; an older one that is not found counts as last. */
const isValid = ({ older, newer }: Placed) => newer >= 0 && (older < 0 || newer < older);

function toCells(placed: readonly Placed[]): string[] {
  const share = (count: number) => (count / placed.length).toFixed(3);
  const found = placed.filter(({ newer }) => newer >= 0 && newer < 10);
  return [String(placed.length), share(placed.filter(isValid).length), share(found.length)];
}

function readChanged(): Changed[] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line, i) => {
    const [kind, older, newer, question] = line.split('\t');
    if (question === undefined) throw new Error(`${file}:${i + 2} has less than four columns`);
    return { kind, older, newer, question, half: i % 2 === 0 ? 'development' : 'locked' };
  });
}

/** @returns the id of the memory of each text */
async function store(http: Client, all: readonly Changed[]): Promise<Map<string, string>> {
  for (const talk of readTalks().conversations.filter(({ id }) =>
    background.some((name) => id.startsWith(name)),
  ))
    await importConversation(http, talk);
  const ids = new Map<string, string>();
  const write = async (content: string, conversationId: string, eventTime: string) => {
    const body = { content, conversationId, eventTime, role: 'user' };
    const response = await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', body);
    if (response.status !== 201)
      throw new Error(`"${content}" answered ${response.status}: ${response.text}`);
    ids.set(content, response.body.data.id);
    return response.body.data.conversationId;
  };
  for (const [key, at] of [
    ['older', olderAt],
    ['newer', newerAt],
  ] as const) {
    // A note is a conversation of its own; statements of a talk share one conversation per day.
    let talk = 'NEW';
    for (const changed of all) {
      if (changed.kind === 'note') await write(changed[key], 'NEW', at);
      else talk = await write(changed[key], talk, at);
    }
  }
  await awaitSteps(http);
  return ids;
}

async function place(
  http: Client,
  changed: Changed,
  ids: ReadonlyMap<string, string>,
  parameters: object,
): Promise<Placed> {
  const body = { query: changed.question, threshold: 0, limit: resultsMax, ...parameters };
  const response = await http.post<{ data: { id: string }[] }>('/api/memories/search', body);
  if (response.status !== 200)
    throw new Error(`"${changed.question}" answered ${response.status}: ${response.text}`);
  const found = response.body.data.map(({ id }) => id);
  const placeOf = (text: string) => found.indexOf(ids.get(text) ?? '');
  return { changed, older: placeOf(changed.older), newer: placeOf(changed.newer) };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
