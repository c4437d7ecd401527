import { signal } from '@preact/signals';
import { ApiFailure } from '../api/client.ts';
import { act } from '../frame/undo-bar.tsx';
import { words } from '../words/words.ts';
import { beginImport, bringBack, forgetUnfinished, moveToTrash } from './imports.ts';
import { type Layout, layoutOf } from './pieces.ts';
import { groupsOf, type Outcome, Sender } from './send.ts';
import { type Item, itemsOf, type Refusal } from './statements.ts';

interface Refused {
  readonly number: number;
  /** A rule of this page, or the service's words. */
  readonly reason: Refusal | string;
}

/** Of the file that was dropped, from its beginning. */
export interface Counts {
  /** Lines, or elements of the list. */
  readonly items: number;
  readonly bytes: number;
  readonly created: number;
  /** Versions of memories that are there with another text. */
  readonly updated: number;
  /** Changed in the file, and edited here: the edit stays. */
  readonly keptEdit: number;
  readonly existing: number;
  readonly inTrash: number;
  readonly refused: number;
  /** The first ones. */
  readonly refusals: readonly Refused[];
  /** Fields that the service does not know, with how many records have them. */
  readonly ignored: ReadonlyMap<string, number>;
  /** Time of work without pauses, in ms. */
  readonly workMs: number;
}

export interface Dropped {
  readonly file: File;
  readonly layout: Layout;
  readonly first: readonly Item[];
  readonly phase: 'chosen' | 'running' | 'paused' | 'done';
  readonly importId?: string;
  /** Stored by the same import before the page was reloaded. */
  readonly createdBefore: number;
  readonly counts: Counts;
  /** Why it paused by itself. */
  readonly failure?: string;
}

const previewedMax = 10;
const refusalsShownMax = 20;
const ignoredNamesMax = 50;
/** In sum for one request, as for the command. */
const patienceMs = 120_000;
const waitMaxSeconds = 30;
/** Statuses of a service that is away, busy or being restarted. */
const passing: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);
const none: Counts = {
  items: 0,
  bytes: 0,
  created: 0,
  updated: 0,
  keptEdit: 0,
  existing: 0,
  inTrash: 0,
  refused: 0,
  refusals: [],
  ignored: new Map(),
  workMs: 0,
};

/** The file at hand; it goes on while another view is open. */
export const dropped = signal<Dropped | undefined>(undefined);
let wake = () => {};

const isImporting = () => dropped.value?.phase === 'running' || dropped.value?.phase === 'paused';

/** Reads the first records of a file. @returns false if another one is being imported. @throws if it cannot be read */
export async function choose(file: File): Promise<boolean> {
  if (isImporting()) return false;
  const layout = await layoutOf(file);
  const first: Item[] = [];
  if (layout === 'lines' || layout === 'list')
    for await (const item of itemsOf(file, layout)) {
      first.push(item);
      if (first.length === previewedMax) break;
    }
  if (isImporting()) return false;
  dropped.value = { file, layout, first, phase: 'chosen', createdBefore: 0, counts: none };
  return true;
}

function change(part: Partial<Dropped>): void {
  if (dropped.value) dropped.value = { ...dropped.value, ...part };
}

export const pause = () => change({ phase: 'paused', failure: undefined });

export function goOn(): void {
  change({ phase: 'running', failure: undefined });
  wake();
}

/** Removes the file from the view; one that is being imported stops after the request that is on its way. */
export function close(): void {
  dropped.value = undefined;
  wake();
}

/** Imports the chosen file, and says in the bar what was stored. */
export async function start(): Promise<void> {
  const { file, layout, phase } = dropped.value ?? {};
  if (!file || phase !== 'chosen' || (layout !== 'lines' && layout !== 'list')) return;
  change({ phase: 'running', failure: undefined });
  const isOpen = () => dropped.value?.file === file;
  const begun = await patiently(isOpen, () => beginImport(file, layout));
  if (!begun || !isOpen()) return;
  const { id: importId, created } = begun;
  change({ importId, createdBefore: created });
  const sender = new Sender(importId);
  try {
    for await (const group of groupsOf(itemsOf(file, layout)))
      for (let left = group; left.length > 0; ) {
        const stored = await patiently(isOpen, async () => {
          const from = performance.now();
          return { outcomes: await sender.store(left), workMs: performance.now() - from };
        });
        if (!stored || !isOpen()) return;
        count(stored.outcomes, stored.workMs);
        left = left.slice(stored.outcomes.length);
      }
  } catch (error) {
    // The file was changed or is gone: another drop of it goes on.
    if (isOpen()) change({ phase: 'done', failure: (error as Error).message });
    return;
  }
  forgetUnfinished();
  change({ phase: 'done', counts: { ...counted(), bytes: file.size } });
  await act(words().import.finished(counted().created), async () =>
    counted().created + created > 0 ? () => takeBack(importId) : undefined,
  );
}

/** Tries until it works, waits while the person pauses, and pauses by itself. @returns undefined if the file was closed */
async function patiently<T>(isOpen: () => boolean, run: () => Promise<T>): Promise<T | undefined> {
  for (let waitedMs = 0; ; ) {
    while (isOpen() && dropped.value?.phase === 'paused')
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    if (!isOpen()) return undefined;
    try {
      return await run();
    } catch (error) {
      const { status = -1, retryAfter = 1 } = error instanceof ApiFailure ? error : {};
      const waitMs = Math.min(retryAfter, waitMaxSeconds) * 1000;
      if (passing.has(status) && waitedMs + waitMs <= patienceMs) {
        waitedMs += waitMs;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      } else if (isOpen()) {
        waitedMs = 0;
        change({ phase: 'paused', failure: (error as Error).message });
      }
    }
  }
}

const counted = () => dropped.value?.counts ?? none;

function count(outcomes: readonly Outcome[], workMs: number): void {
  const { refusals, ignored, ...before } = counted();
  const next = {
    ...before,
    workMs: before.workMs + workMs,
    refusals: [...refusals],
    ignored: new Map(ignored),
  };
  for (const { item, result } of outcomes) {
    next.items++;
    next.bytes = item.end;
    countIgnored(next.ignored, 'refusal' in result ? [] : (result.ignored ?? []));
    const outcome = outcomeOf(result);
    next[outcome]++;
    if (outcome === 'refused' && next.refusals.length < refusalsShownMax)
      next.refusals.push({ number: item.number, reason: reasonOf(result) });
  }
  change({ counts: next });
}

function countIgnored(ignored: Map<string, number>, names: readonly string[]): void {
  for (const name of names)
    if (ignored.has(name) || ignored.size < ignoredNamesMax) ignored.set(name, (ignored.get(name) ?? 0) + 1);
}

type OutcomeName = 'created' | 'updated' | 'keptEdit' | 'existing' | 'inTrash' | 'refused';

function outcomeOf(result: Outcome['result']): OutcomeName {
  if ('refusal' in result) return 'refused';
  if (result.status === 201) return 'created';
  if (result.updated) return 'updated';
  if (result.keptEdit) return 'keptEdit';
  if (result.status === 200) return 'existing';
  return result.code === 'MEMORY_IN_TRASH' ? 'inTrash' : 'refused';
}

const reasonOf = (result: Outcome['result']): Refused['reason'] =>
  'refusal' in result ? result.refusal : (result.error ?? String(result.status));

async function takeBack(id: string): Promise<() => Promise<unknown>> {
  await moveToTrash(id);
  if (dropped.value?.importId === id) close();
  return () => bringBack(id);
}

/** Moves all that the import stored to the trash. */
export const undoImport = (id: string) => act(words().import.undone, () => takeBack(id));

/** Brings back what an undo moved there. */
export const restoreImport = (id: string) =>
  act(words().import.restored, async () => {
    await bringBack(id);
    return () => takeBack(id);
  });
