import { isJsonObject } from '../../lib/json.ts';
import { AppError, invalidInput } from '../shared/errors.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type WriteDeps, writeAs } from '../shared/write.ts';
import type { BehaviourState } from './behaviour-store.ts';

/** Maximum of a state as JSON in UTF-8. */
export const stateBytesMax = 64 * 1024;

interface BehaviourChange {
  /** Replaces the whole state. */
  readonly state?: unknown;
  /** A merge patch (RFC 7396), applied after `state`. */
  readonly mutations?: unknown;
}

/** Keeps one JSON object a user, in which clients store their own behaviour. */
export class BehaviourService {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** An empty object if none was stored. */
  async get(user: UserRef): Promise<BehaviourState> {
    return (await this.#deps.stores.forUser(user).behaviour.find()) ?? {};
  }

  /**
   * If both are given, the patch is applied to the given state.
   * @throws 422 if neither is given or one is not an object, 413 if the state would exceed 64 KiB
   */
  async change(
    user: UserRef,
    change: BehaviourChange,
    act?: KeyedAct<BehaviourState>,
  ): Promise<BehaviourState> {
    const { state, mutations } = change;
    if (state === undefined && mutations === undefined)
      throw invalidInput('state', 'must be given, or mutations');
    assertObject(state, 'state');
    assertObject(mutations, 'mutations');
    return writeAs(
      this.#deps,
      user,
      async ({ tx, at }) => {
        const before = state ?? (await tx.behaviour.find()) ?? {};
        const after = (mutations === undefined ? before : mergePatch(before, mutations)) as BehaviourState;
        assertSize(after);
        await tx.behaviour.save(after, at);
        return after;
      },
      act,
    );
  }
}

/** @throws 422 */
function assertObject(value: unknown, field: string): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput(field, 'must be an object');
}

/** @throws 413 */
function assertSize(state: BehaviourState): void {
  if (Buffer.byteLength(JSON.stringify(state)) <= stateBytesMax) return;
  throw new AppError('STATE_TOO_LARGE', `The state would have more than ${stateBytesMax} bytes as JSON.`);
}

/** RFC 7396: members of the patch replace those of the target, null removes one, objects are merged. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
