import { setTimeout as wait } from 'node:timers/promises';
import type { Input, InputFile } from './readers/reader.ts';
import type { Source } from './run-import.ts';

const everyMs = 5000;

/** Which files of inputs have changed, by their size and time of change. */
export class ChangedFiles {
  readonly #known = new Map<string, string>();

  /** The sources with the files that are new or changed since the last call; without those that have none. */
  of(sources: readonly Source[]): Source[] {
    return sources
      .map(({ reader, input }) => ({
        reader,
        input: { ...input, files: input.files.filter((file) => this.#isChanged(input, file)) },
      }))
      .filter(({ input }) => input.files.length > 0);
  }

  #isChanged({ name }: Input, { path, size, modifiedAt }: InputFile): boolean {
    const key = `${name}\0${path}`;
    const state = `${size} ${modifiedAt?.getTime()}`;
    const isChanged = this.#known.get(key) !== state;
    this.#known.set(key, state);
    return isChanged;
  }
}

/** Calls `look` every five seconds until the signal fires. */
export async function lookRepeatedly(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // It rejects only if the signal fires, which ends the loop.
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await look();
  }
}
