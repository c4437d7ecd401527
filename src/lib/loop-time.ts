/** A user or task whose work takes time of the event loop. */
export interface Payer {
  /** ms, by a clock that never runs backwards. */
  now(): number;
  /** Adds the duration of one stretch of the payer's work, in ms. */
  pay(ms: number): void;
}

interface Stretch {
  readonly payer: Payer;
  readonly since: number;
}

/** The current stretch of work; one event loop runs one at a time. */
let stretch: Stretch | undefined;
let chargedMs = 0;

/**
 * Charges the payer for the time from now until all work that
 * needs no wait has run, or another payer is charged.
 */
export function charge(payer: Payer): void {
  endCharge();
  const begun = { payer, since: payer.now() };
  stretch = begun;
  // A tick requested by a microtask comes when no microtask is left: after all work that needs no wait.
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
  const ms = payer.now() - since;
  chargedMs += ms;
  payer.pay(ms);
}

/** Milliseconds that all payers of this event loop have been charged for. */
export const chargedSum = (): number => chargedMs;

/** The payer of the current stretch. */
export function payerNow(): Payer | undefined {
  return stretch?.payer;
}

/**
 * Awaits work outside of the event loop (a database, a thread, a turn of others),
 * then charges the payer of before with the work that follows.
 */
export async function waitedFor<T>(work: PromiseLike<T>): Promise<T> {
  const payer = payerNow();
  try {
    return await work;
  } finally {
    if (payer) charge(payer);
  }
}

interface Waiting {
  readonly payer: Payer | undefined;
  readonly goOn: () => void;
}

/** Work that yielded to others, in the order of its requests. */
const waiting: Waiting[] = [];
let lastLetOn: Payer | undefined;
/** Whether the work that was resumed last still runs. */
let isLetOn = false;
/** Start of the current turn of the event loop; undefined until `turnAge` is called in it. */
let turnBegan: number | undefined;

/** Resolves after other work had a turn of the event loop. */
export const otherWork = () => waitedFor(nextTurn());

/**
 * One waiting piece of work resumes in each turn of the event loop, of another payer than the last if there
 * is one: otherwise twenty requests of one user would take one turn together and delay those of others.
 */
function nextTurn(): Promise<void> {
  // The resumed piece of work is over: the next requests have a turn of their own.
  if (isLetOn) beginTurn();
  return new Promise((goOn) => {
    if (waiting.push({ payer: payerNow(), goOn }) === 1) setImmediate(letOneOn);
  });
}

function letOneOn(): void {
  const other = waiting.findIndex(({ payer }) => payer !== lastLetOn);
  const [one] = waiting.splice(Math.max(0, other), 1);
  beginTurn();
  isLetOn = true;
  lastLetOn = one.payer;
  one.goOn();
  if (waiting.length > 0) setImmediate(letOneOn);
}

function beginTurn(): void {
  isLetOn = false;
  turnBegan = undefined;
}

/** Time in ms since the first call in this turn of the event loop. */
function turnAge(): number {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(beginTurn);
  }
  return now - turnBegan;
}

/** A request takes several turns, each of which may be behind one of background work, whose turns are shorter. */
const turnMsOf = { requests: 10, background: 3 };

/**
 * Yields to other work if this turn of the event loop has taken more than `turnMs` (10 ms for work charged
 * to a payer, 3 for the rest): for loops without other waits, and for statements that are answered at
 * once. Undefined otherwise, so that a short loop costs no turn.
 */
export function pauseAfter(
  turnMs = payerNow() ? turnMsOf.requests : turnMsOf.background,
): Promise<void> | undefined {
  return turnAge() > turnMs ? otherWork() : undefined;
}

/** `pauseAfter` for a loop; its turn began at the latest when this object was made. */
export class Breather {
  readonly #turnMs: number | undefined;

  constructor(turnMs?: number) {
    this.#turnMs = turnMs;
    turnAge();
  }

  pause(): Promise<void> | undefined {
    return pauseAfter(this.#turnMs);
  }
}
