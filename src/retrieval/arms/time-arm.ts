import type { RatedSignal, SignalSpec } from '../fuse/signal.ts';
import { closeness } from '../time/named-periods.ts';
import type { Arm, ArmContext } from './arm.ts';

const time: SignalSpec = {
  name: 'time',
  group: 'conversation',
  parts: { self: 'the time that the query speaks of' },
};

/** Rates memories by how near their time is to one that the query speaks of ("last May"): a preference, never a filter. */
export const timeArm: Arm = { name: 'time', signals: [time], isAsked: () => true, run: rateTimes };

function rateTimes({ plan: { periods }, view: { index } }: ArmContext): RatedSignal[] {
  if (periods.length === 0) return [];
  return [
    {
      spec: time,
      rate: (rows, count, out) => {
        for (let i = 0; i < count; i++) {
          const at = index.orderTime(rows[i]);
          let most = closeness(periods[0], at);
          for (let p = 1; p < periods.length; p++) most = Math.max(most, closeness(periods[p], at));
          out[i] = most;
        }
      },
    },
  ];
}
