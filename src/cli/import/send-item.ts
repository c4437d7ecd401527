import { createHash } from 'node:crypto';
import { type ApiClient, describe } from './api-client.ts';
import type { ImportState } from './import-state.ts';
import type { Statement } from './item.ts';

/** What became of an item. */
export type Outcome =
  | { readonly kind: 'imported' | 'skipped' }
  | { readonly kind: 'refused'; reason: string };

interface Target {
  readonly api: ApiClient;
  readonly state: ImportState;
}

/**
 * Creates the memory of one item, and before it the conversation where it is the first of it. Both carry a key made
 * of what they say and where they stand, so that a run that was ended hard does nothing twice when it is repeated
 * within the 24 hours that the server remembers keys.
 * @throws ImportStopped
 */
export async function sendItem(target: Target, number: number, statement: Statement): Promise<Outcome> {
  const { api, state } = target;
  const place = await findConversation(target, statement.conversation);
  if ('kind' in place) return place;
  const body = { ...statement.body, ...place };
  const idempotencyKey = keyOf([state.identity, number, body]);
  const answer = await api.send({ path: '/api/memories', body, idempotencyKey });
  if (answer.status !== 201) return { kind: 'refused', reason: describe(answer) };
  return { kind: answer.replayed ? 'skipped' : 'imported' };
}

async function findConversation(
  { api, state }: Target,
  title: string | undefined,
): Promise<Outcome | { readonly conversationId?: string }> {
  if (title === undefined) return {};
  const known = state.conversationOf(title);
  if (known !== undefined) return { conversationId: known };
  const body = { title };
  const idempotencyKey = keyOf([state.identity, 'conversation', body]);
  const answer = await api.send({ path: '/api/conversations', body, idempotencyKey });
  const id = (answer.body.data as { id?: unknown } | undefined)?.id;
  if (answer.status !== 201 || typeof id !== 'string')
    return { kind: 'refused', reason: `its conversation: ${describe(answer)}` };
  state.addConversation(title, id);
  return { conversationId: id };
}

function keyOf(parts: readonly unknown[]): string {
  return `import-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
