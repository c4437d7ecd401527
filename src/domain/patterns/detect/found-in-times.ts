import { Breather } from '../../../lib/loop-time.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import { type FoundPattern, type SourceMemory, topicOfMost } from './found-pattern.ts';

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const onWeekdays = weekdays.map((weekday) => `on ${weekday}s`);
const parts = [
  ['at night (UTC)', 0, 6],
  ['in the morning (UTC)', 6, 12],
  ['in the afternoon (UTC)', 12, 18],
  ['in the evening (UTC)', 18, 24],
] as const;
const inParts = parts.map(([when]) => when);
/** Fewer days with memories give no pattern. */
const daysMin = 6;
/** A time must recur in this many weeks. */
const weeksMin = 4;
/** Least share of the days that is on the weekday, or in the part of the day. */
const weekdayShareMin = 0.5;
const partShareMin = 0.7;
/** Least lower end of the interval (10 of 12 days): below it "mostly" would not be true. */
const certainMin = 0.5;
const topicsMax = 500;

/**
 * Weekdays and parts of the day (UTC) at which most memories are written: of all memories, and of each topic. A day
 * counts once. The confidence is the lower end of the Wilson interval of the share of days.
 */
export async function foundInTimes(sources: readonly SourceMemory[]): Promise<FoundPattern[]> {
  const live = sources.filter(({ isPast }) => !isPast);
  const byTopic = new Map<string, SourceMemory[]>();
  for (const source of live)
    for (const topic of source.topics) {
      const own = byTopic.get(topic);
      if (own) own.push(source);
      else if (byTopic.size < topicsMax) byTopic.set(topic, [source]);
    }
  const breather = new Breather();
  const found = timesOf(live, null);
  for (const [topic, own] of byTopic) {
    const pause = breather.pause();
    if (pause) await pause;
    found.push(...timesOf(own, topic));
  }
  return found;
}

function timesOf(sources: readonly SourceMemory[], topic: string | null): FoundPattern[] {
  const days = new Map<number, SourceMemory>();
  for (const source of sources) {
    const day = Math.floor(source.at / DAY_MS);
    if (!days.has(day)) days.set(day, source);
  }
  if (days.size < daysMin) return [];
  const ofDays = [...days.values()];
  const byWeekday = weekdays.map((_, i) => ofDays.filter(({ at }) => new Date(at).getUTCDay() === i));
  const byPart = parts.map(([, from, to]) =>
    ofDays.filter(({ at }) => {
      const hour = Math.floor((((at % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS);
      return hour >= from && hour < to;
    }),
  );
  return [
    ...most(byWeekday, ofDays.length, weekdayShareMin, onWeekdays, topic),
    ...most(byPart, ofDays.length, partShareMin, inParts, topic),
  ];
}

function most(
  groups: readonly (readonly SourceMemory[])[],
  total: number,
  shareMin: number,
  labels: readonly string[],
  topic: string | null,
): FoundPattern[] {
  const sizes = groups.map((own) => own.length);
  const index = sizes.indexOf(Math.max(...sizes));
  const own = groups[index];
  const confidence = Math.round(wilsonLower(own.length, total) * 1000) / 1000;
  if (weeksOf(own) < weeksMin || own.length / total < shareMin || confidence < certainMin) return [];
  const when = labels[index];
  const inOrder = [...own].sort((a, b) => a.at - b.at);
  return [
    {
      key: `temporal|user|${topic ?? ''}|${when}`,
      type: 'temporal',
      owner: 'user',
      target: topic === null ? when : `${topic} ${when}`,
      against: null,
      isNegated: false,
      name: topic === null ? `Writes ${when}` : `${topic}: ${when}`,
      description: `${topic === null ? 'Memories are written' : `Memories about ${topic} are written`} mostly ${when}: ${own.length} of ${total} days.`,
      context: topic ?? topicOfMost(own),
      confidence,
      wordedBy: inOrder[0].id,
      evidence: inOrder.map(({ id, at }) => ({ memoryId: id, at })),
    },
  ];
}

const weeksOf = (sources: readonly SourceMemory[]) =>
  new Set(sources.map(({ at }) => Math.floor(at / (7 * DAY_MS)))).size;

/** Lower end of the 95 % interval of a share (Wilson 1927). */
function wilsonLower(count: number, total: number): number {
  const z = 1.96;
  const share = count / total;
  const centre = share + (z * z) / (2 * total);
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  return (centre - spread) / (1 + (z * z) / total);
}
