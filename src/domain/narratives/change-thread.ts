import { invalidInput, notFound } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import type { NarrativeHead, NarrativeState } from './narrative.ts';
import type { NarrativeChange } from './narrative-store.ts';

/**
 * Inserts a live memory at `position` of the thread, or at its end; a memory of the thread moves there.
 * @throws 404 for an unknown memory; 422 for a position beyond the end
 */
export async function placeInThread(
  { tx }: Write,
  thread: NarrativeHead,
  memoryId: string,
  position: number | undefined,
): Promise<void> {
  if (!(await tx.memories.find(memoryId))) throw notFound('memory');
  const isMove = await tx.narratives.contains(thread.id, memoryId);
  const others = thread.memoryCount - (isMove ? 1 : 0);
  if (position !== undefined && (position < 0 || position > others))
    throw invalidInput('position', `must be 0 to ${others}, the number of other memories in the thread`);
  if (isMove) await tx.narratives.removeMemory(thread.id, memoryId);
  await tx.narratives.insertMemory(thread.id, memoryId, position);
}

export interface ThreadMoveRequest {
  readonly state?: NarrativeState;
  /** Null removes it. */
  readonly resolutionMemoryId?: string | null;
}

/**
 * The requested change of state or resolution; undefined if nothing changes. A resolution that is not
 * in the thread is added to it. A thread that is opened again loses its resolution unless one is given.
 * @throws 404 for an unknown resolution
 */
export async function moveOfThread(
  write: Write,
  thread: NarrativeHead,
  {
    state = thread.state,
    resolutionMemoryId,
    ...requested
  }: ThreadMoveRequest & { readonly goesOn: boolean },
): Promise<NarrativeChange['move']> {
  const resolution = resolutionMemoryId === undefined && requested.goesOn ? null : resolutionMemoryId;
  if (resolution && !(await write.tx.narratives.contains(thread.id, resolution)))
    await placeInThread(write, thread, resolution, undefined);
  const isSame = resolution === undefined || resolution === thread.resolutionMemoryId;
  return state === thread.state && isSame ? undefined : { state, resolutionMemoryId: resolution };
}
