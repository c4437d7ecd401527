import { signal } from '@preact/signals';
import { curlOf, shownRequest } from '../api/client.ts';
import { endReads, refresh } from '../api/use-query.ts';
import { words } from '../words/words.ts';

interface Notice {
  readonly text: string;
  /** Takes the act back; undefined if there is nothing to take back. */
  readonly undo?: () => Promise<unknown>;
  readonly isFailure?: boolean;
}

const notice = signal<Notice | undefined>(undefined);

/** Says what was done, with the way back. */
function say(next: Notice): void {
  notice.value = next;
}

/** An act of a view: what it did, or why it failed, is said in the bar; what is shown is read again. */
export async function act(
  text: string,
  run: () => Promise<(() => Promise<unknown>) | undefined>,
): Promise<void> {
  // A read that comes after the change may ask for what is gone.
  await endReads();
  try {
    say({ text, undo: await run() });
  } catch (error) {
    say({ text: (error as Error).message, isFailure: true });
  }
  refresh();
}

export async function undo(): Promise<void> {
  const back = notice.value?.undo;
  if (back) await act(words().undone, async () => void (await back()));
}

export function UndoBar() {
  return (
    <footer>
      <output class={notice.value?.isFailure ? 'notice failure' : 'notice'}>
        {notice.value?.text}{' '}
        {notice.value?.undo && (
          <button type="button" onClick={() => void undo()}>
            {words().undo} <kbd>z</kbd>
          </button>
        )}
      </output>
      <CopyAsCurl />
    </footer>
  );
}

const copied = signal(false);

/** Each view is a request that a person can send, too. */
function CopyAsCurl() {
  const request = shownRequest.value;
  if (!request) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(curlOf(request, location.origin));
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, 1500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {copied.value ? words().copied : words().copyCurl}
    </button>
  );
}
