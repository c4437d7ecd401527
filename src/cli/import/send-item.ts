import { createHash } from 'node:crypto';
import { type ApiClient, describe } from '../client/api-client.ts';
import type { ImportState } from './import-state.ts';
import type { Statement } from './item.ts';

/** The outcome of sending an item. */
export type SendOutcome =
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
export async function sendItem(target: Target, number: number, statement: Statement): Promise<SendOutcome> {
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
