import { DAY_MS } from '../../domain/shared/time.ts';
import type { SearchPlan } from '../query/plan.ts';
import { type NamedPeriod, timeFit } from '../query/times/named-periods.ts';
import type { Arm, ArmContext } from './arm.ts';
import type { Evidence, FoundSignal, RatedSignal, SignalSpec } from './signal.ts';

const time: SignalSpec = {
  name: 'time',
  group: 'time',
  parts: { self: 'the time that the query speaks of' },
};

/**
 * Rates memories by the nearness of their time to one in
 * the query ("last May"): a preference, never a filter.
 */
export const timeArm: Arm = {
  name: 'time',
  signals: [time],
  isAsked: ({ periods, isTimeAlone }) => periods.length > 0 && !isTimeAlone,
  run: rateTimes,
};

/**
 * Value of a time named in a text, relative to the time of the memory itself (ADR 42 measures higher values).
 */
const namedShare = 0.25;
/** Score of a named time in a search for a time alone: below 1, so that memories of that time come first. */
const namedScore = 0.75;

function rateTimes({ plan: { periods }, view: { index }, named }: ArmContext): RatedSignal[] {
  return [
    {
      spec: time,
      rate: (rows, count, out) => {
        for (let i = 0; i < count; i++) {
          const at = index.orderTime(rows[i]);
          let most = timeFit(periods[0], at);
          for (let p = 1; p < periods.length; p++) most = Math.max(most, timeFit(periods[p], at));
          if (most < namedShare && named.periodOf(rows[i])) most = namedShare;
          out[i] = most;
        }
      },
    },
  ];
}

const withinTime: SignalSpec = {
  name: 'withinTime',
  group: 'time',
  via: 'time',
  lacks: 'It is not of the time that the query names, nor does it name that time.',
  isApart: true,
  parts: { self: 'being of the time asked for' },
};

/** Longer times contain too many memories to be matches for that alone; a month has at most 31 days. */
const narrowMs = 31 * DAY_MS;

/**
 * The times that make a memory a match without any word
 * of the query: all of them in a search for a time alone.
 */
function findingPeriods({ isTimeAlone, periods }: SearchPlan): readonly NamedPeriod[] {
  return isTimeAlone ? periods : periods.filter(({ from, to }) => to - from <= narrowMs);
}

/**
 * Finds memories by their time: "what happened last week",
 * or "who was at lunch on 3 May" without any of these words.
 */
export const withinTimeArm: Arm = {
  name: 'within-time',
  signals: [withinTime],
  isAsked: (plan) => findingPeriods(plan).length > 0,
  run: (context) => [findWithinTime(context, findingPeriods(context.plan))],
};

/**
 * Memories of the time, all with the same score, so that
 * they stay in order of time; then those that name the time.
 */
function findWithinTime(
  { view: { index, size, arrays }, named }: ArmContext,
  periods: readonly NamedPeriod[],
): FoundSignal {
  const periodOf = (row: number) => {
    const at = index.orderTime(row);
    return periods.find(({ from, to }) => from <= at && at < to);
  };
  const isNamedIn = (row: number) => periods.some((period) => period === named.periodOf(row));
  const scores = arrays.numbers(size + 1);
  const rows: number[] = [];
  for (let row = 0; row < size; row++) {
    const score = periodOf(row) ? 1 : isNamedIn(row) ? namedScore : 0;
    if (score === 0) continue;
    scores[row] = score;
    rows.push(row);
  }
  const explainTime = (row: number): Evidence | undefined => {
    const own = periodOf(row);
    const period = own ?? (isNamedIn(row) ? named.periodOf(row) : undefined);
    const reason = `${own ? 'Is of' : 'Its text names'} the time asked for: "${period?.text}".`;
    return period && { rank: null, reasonRank: 4, describe: () => ({ reason, notes: [] }) };
  };
  return {
    spec: withinTime,
    rows,
    scores,
    scale: () => ({ perWeight: 1, perScore: 1, best: 1, unit: 1 }),
    measureOf: (row) => scores[row] || null,
    explain: (page) => page.map(explainTime),
  };
}
