import { createHash } from 'node:crypto';
import { ApiClient, describe, RequestAbandonedError, type ServiceAccess } from '../client/api-client.ts';
import { assertUnchanged, ImportState } from './import-state.ts';
import { InGroups } from './in-groups.ts';
import { type Counts, type Progress, startProgress } from './progress.ts';
import type { Item, Source, Statement } from './sources.ts';

interface ImportPlan {
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

interface ImportResult extends Counts {
  /** Reason why it stopped before the end of the file; another run continues. */
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

/** The outcome of sending an item. */
type SendOutcome =
  | { readonly kind: 'imported'; readonly ignored: readonly string[] }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'refused'; reason: string };

interface Target {
  readonly api: ApiClient;
  readonly state: ImportState;
}

/**
 * Creates the memory of one item, and first its conversation if that is new. Both
 * requests have a key made of text and position, so that a repeated run after a
 * kill creates nothing twice within the 24 hours that the server remembers keys.
 * @throws RequestAbandonedError
 */
async function sendItem(target: Target, number: number, statement: Statement): Promise<SendOutcome> {
  const { api, state } = target;
  const existing = await findExisting(target, statement);
  if (existing) return existing;
  const place = await findConversation(target, statement.conversation);
  if ('kind' in place) return place;
  const body = { ...statement.body, ...place };
  const idempotencyKey = keyOf([state.identity, number, body]);
  const response = await api.send({ path: '/api/memories', body, idempotencyKey });
  if (response.status === 200) return { kind: 'skipped' };
  if (response.status !== 201) return { kind: 'refused', reason: describe(response) };
  if (response.replayed) return { kind: 'skipped' };
  const { ignored = [] } = (response.body.meta ?? {}) as { ignored?: readonly string[] };
  return { kind: 'imported', ignored };
}

/**
 * If the conversation is unknown but a memory with this external id exists,
 * an earlier import made both: a second conversation would stay empty.
 */
async function findExisting({ api, state }: Target, { conversation, body }: Statement) {
  const { externalId } = body;
  if (conversation === undefined || state.conversationOf(conversation) !== undefined) return undefined;
  if (typeof externalId !== 'string' || externalId === '') return undefined;
  const path = `/api/memories?externalId=${encodeURIComponent(externalId)}`;
  const { data } = (await api.send({ path })).body;
  const [memory] = Array.isArray(data) ? (data as { conversationId: string }[]) : [];
  if (!memory) return undefined;
  state.addConversation(conversation, memory.conversationId);
  return { kind: 'skipped' } as const;
}

async function findConversation(
  { api, state }: Target,
  title: string | undefined,
): Promise<SendOutcome | { readonly conversationId?: string }> {
  if (title === undefined) return {};
  const known = state.conversationOf(title);
  if (known !== undefined) return { conversationId: known };
  const body = { title };
  const idempotencyKey = keyOf([state.identity, 'conversation', body]);
  const response = await api.send({ path: '/api/conversations', body, idempotencyKey });
  const id = (response.body.data as { id?: unknown } | undefined)?.id;
  if (response.status !== 201 || typeof id !== 'string')
    return { kind: 'refused', reason: `its conversation: ${describe(response)}` };
  state.addConversation(title, id);
  return { conversationId: id };
}

function keyOf(parts: readonly unknown[]): string {
  return `import-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
