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

/** What a time that a text names is worth next to words, against one at which it happened (ADR 22 has what more of it costs). */
const namedShare = 0.25;
/** What it scores where a time is asked for and nothing else: less than 1, so that what happened then comes first. */
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

/** What happened then, all of it alike: equal scores stand in order of time; then what names the time. */
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
