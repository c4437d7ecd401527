import { setImmediate as nextTurn } from 'node:timers/promises';

/** One whose work takes time of the event loop. */
export interface Payer {
  /** ms, by a clock that never runs backwards. */
  now(): number;
  /** Notes that work of the payer took so many ms in one go. */
  pay(ms: number): void;
}

interface Stretch {
  readonly payer: Payer;
  readonly since: number;
}

/** There is one event loop, and one stretch of work at a time. */
let stretch: Stretch | undefined;

/** Charges the payer with what runs from here until nothing is left to do without waiting, or another is charged. */
export function charge(payer: Payer): void {
  endCharge();
  const begun = { payer, since: payer.now() };
  stretch = begun;
  // A tick asked for by a microtask comes when no microtask is left: after all that runs without waiting.
  queueMicrotask(() =>
    process.nextTick(() => {
      if (stretch === begun) endCharge();
    }),
  );
}

export function endCharge(): void {
  if (!stretch) return;
  const { payer, since } = stretch;
  stretch = undefined;
  payer.pay(payer.now() - since);
}

/** Who is charged for what runs now. */
export function payerNow(): Payer | undefined {
  return stretch?.payer;
}

/**
 * The outcome of work outside of the event loop (a database, a thread, a turn of others); what follows it is charged to
 * the one who waited for it.
 */
export async function waitedFor<T>(work: PromiseLike<T>): Promise<T> {
  const payer = payerNow();
  try {
    return await work;
  } finally {
    if (payer) charge(payer);
  }
}

/** Lets other work pass. */
export const otherWork = () => waitedFor(nextTurn());
