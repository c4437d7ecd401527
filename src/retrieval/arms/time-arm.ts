import { DAY_MS } from '../../domain/shared/time.ts';
import type { Evidence, FoundSignal, RatedSignal, SignalSpec } from '../fuse/signal.ts';
import type { SearchPlan } from '../plan.ts';
import { type NamedPeriod, timeFit } from '../time/named-periods.ts';
import type { Arm, ArmContext } from './arm.ts';

const time: SignalSpec = {
  name: 'time',
  group: 'time',
  parts: { self: 'the time that the query speaks of' },
};

/** Rates memories by how near their time is to one that the query speaks of ("last May"): a preference, never a filter. */
export const timeArm: Arm = {
  name: 'time',
  signals: [time],
  isAsked: ({ periods, isTimeAlone }) => periods.length > 0 && !isTimeAlone,
  run: rateTimes,
};

function rateTimes({ plan: { periods }, view: { index } }: ArmContext): RatedSignal[] {
  return [
    {
      spec: time,
      rate: (rows, count, out) => {
        for (let i = 0; i < count; i++) {
          const at = index.orderTime(rows[i]);
          let most = timeFit(periods[0], at);
          for (let p = 1; p < periods.length; p++) most = Math.max(most, timeFit(periods[p], at));
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
  isApart: true,
  parts: { self: 'being of the time asked for' },
};

/** The memories of a longer time are too many to be matches for that alone; a month has 31 days at most. */
const narrowMs = 31 * DAY_MS;

/** The times whose memories match without a word of the query: all of them where nothing else is asked for. */
function findingPeriods({ isTimeAlone, periods }: SearchPlan): readonly NamedPeriod[] {
  return isTimeAlone ? periods : periods.filter(({ from, to }) => to - from <= narrowMs);
}

/** Finds memories by their time: "what happened last week", and "who was at lunch on 3 May" whatever the words of then. */
export const withinTimeArm: Arm = {
  name: 'within-time',
  signals: [withinTime],
  isAsked: (plan) => findingPeriods(plan).length > 0,
  run: (context) => [findWithinTime(context, findingPeriods(context.plan))],
};

/** All of them alike: equal scores stand in order of time. */
function findWithinTime({ view: { index, size } }: ArmContext, periods: readonly NamedPeriod[]): FoundSignal {
  const periodOf = (row: number) => {
    const at = index.orderTime(row);
    return periods.find(({ from, to }) => from <= at && at < to);
  };
  const scores = new Float64Array(size + 1);
  const rows: number[] = [];
  for (let row = 0; row < size; row++) {
    if (periodOf(row) === undefined) continue;
    scores[row] = 1;
    rows.push(row);
  }
  const explainTime = (row: number): Evidence | undefined => {
    const period = periodOf(row);
    const reason = `Is of the time asked for: "${period?.text}".`;
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
