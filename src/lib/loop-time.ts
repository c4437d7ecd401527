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

interface Waiting {
  readonly payer: Payer | undefined;
  readonly goOn: () => void;
}

/** Work that lets others pass, in the order in which it asked. */
const waiting: Waiting[] = [];
let lastLetOn: Payer | undefined;
/** Whether what was let on last has not come back yet. */
let isLetOn = false;
/** When the work of this turn of the event loop began; undefined until somebody asks. */
let turnBegan: number | undefined;

/** Lets other work pass. */
export const otherWork = () => waitedFor(nextTurn());

/**
 * Of all that wait one goes on in each turn of the event loop, by turns of who is charged: twenty requests of a user would
 * else take twenty pieces of work of one turn, and hold another's for as long.
 */
function nextTurn(): Promise<void> {
  // The piece of work that was let on is over: the next requests have a turn of their own.
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

/** For how many ms this turn of the event loop has worked, since somebody asked first. */
export function turnAge(): number {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(beginTurn);
  }
  return now - turnBegan;
}
