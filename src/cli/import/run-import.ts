import { ApiClient, describe, RequestAbandonedError } from '../client/api-client.ts';
import type { ServiceAccess } from '../client/send-request.ts';
import { assertUnchanged } from './assert-unchanged.ts';
import { ImportState } from './import-state.ts';
import { InGroups } from './in-groups.ts';
import type { Item, Source } from './item.ts';
import { type Counts, type Progress, startProgress } from './progress.ts';
import { sendItem } from './send-item.ts';

export interface ImportPlan {
  readonly source: Source;
  /** Tells the file from others, as the server remembers it. */
  readonly identity: string;
  readonly statePath: string;
  readonly service: ServiceAccess;
  /** Requests at once. */
  readonly concurrency: number;
  /** Ends the import early, in good order. */
  readonly signal: AbortSignal;
}

export interface ImportResult extends Counts {
  /** Why it ended before the end of the file; running it again goes on. */
  readonly stopped: string | undefined;
}

const pendingMax = 256;
const firstPatienceMs = 3000;

/**
 * Imports a file through the HTTP API, and resumes after an earlier run.
 * @throws Error if it cannot begin: wrong server or key, or a state or file that differs from the earlier run
 */
export async function runImport(plan: ImportPlan): Promise<ImportResult> {
  const { source, identity, statePath } = plan;
  const api = new ApiClient(plan.service, plan.signal);
  const state = new ImportState(statePath, { user: await findUser(api, plan.service.url), identity });
  if (state.resumed) await assertResumable(source, state, statePath);
  state.save();
  const counts: Counts = { imported: 0, refused: 0, skipped: 0, ignored: new Map() };
  const progress = startProgress(source.size);
  let stopped: string | undefined;
  try {
    await sendAll(plan, { api, state, counts, progress });
  } catch (error) {
    if (!(error instanceof RequestAbandonedError)) throw error;
    stopped = error.message;
  } finally {
    progress.stop();
    state.save();
  }
  if (stopped === undefined && counts.refused === 0) state.remove();
  return { ...counts, stopped };
}

async function findUser(api: ApiClient, url: string): Promise<string> {
  const response = await api.send({ path: '/api/users/me', patienceMs: firstPatienceMs });
  const id = (response.body.data as { id?: unknown } | undefined)?.id;
  if (response.status === 200 && typeof id === 'string') return id;
  throw new Error(`${url} does not answer as memoryd does: ${describe(response)}`);
}

async function assertResumable(source: Source, { done }: ImportState, statePath: string): Promise<void> {
  try {
    await assertUnchanged(source, done.toArray());
  } catch (error) {
    throw new Error(
      `The file has changed since it was imported in part. ${(error as Error).message} ` +
        `Undo the change, or remove ${statePath} to import everything again.`,
    );
  }
}

interface Run {
  readonly api: ApiClient;
  readonly state: ImportState;
  readonly counts: Counts;
  readonly progress: Progress;
}

/** Names are unbounded if they are data; only the first are counted separately. */
const ignoredNamesMax = 1000;

function countIgnored({ ignored }: Counts, names: readonly string[]): void {
  for (const name of names) {
    const counted = ignored.size < ignoredNamesMax || ignored.has(name) ? name : 'others';
    ignored.set(counted, (ignored.get(counted) ?? 0) + 1);
  }
}

async function sendAll({ source, concurrency, signal }: ImportPlan, run: Run): Promise<void> {
  const groups = new InGroups({ running: concurrency, pending: pendingMax });
  let doneSize = 0;
  const finished = (item: Item) => {
    doneSize += item.size;
    run.progress.update(doneSize, run.counts);
  };
  const refuse = (item: Item, reason: string) => {
    run.counts.refused++;
    run.progress.note(`${item.label} refused: ${reason}`);
    finished(item);
  };
  const send = async (item: Item, statement: Exclude<Item['content'], { refusal: string }>) => {
    const outcome = await sendItem(run, item.number, statement);
    if (outcome.kind === 'refused') return refuse(item, outcome.reason);
    run.counts[outcome.kind]++;
    if (outcome.kind === 'imported') countIgnored(run.counts, outcome.ignored);
    run.state.done.add(item.number, item.digest);
    run.state.saveNowAndThen();
    finished(item);
  };
  try {
    for await (const item of source.items()) {
      const { content } = item;
      if (signal.aborted) throw new RequestAbandonedError('interrupted');
      if (run.state.done.has(item.number)) {
        run.counts.skipped++;
        finished(item);
      } else if ('refusal' in content) refuse(item, content.refusal);
      else await groups.add(content.group, () => send(item, content));
    }
  } finally {
    // The server completes requests in flight anyway: their outcome belongs in the state.
    await groups.finish();
  }
}
