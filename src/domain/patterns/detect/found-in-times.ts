import { Breather } from '../../../lib/breather.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import { topicOfMost } from './found-in-claims.ts';
import type { Found, Source } from './source.ts';

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const onWeekdays = weekdays.map((weekday) => `on ${weekday}s`);
const parts = [
  ['at night (UTC)', 0, 6],
  ['in the morning (UTC)', 6, 12],
  ['in the afternoon (UTC)', 12, 18],
  ['in the evening (UTC)', 18, 24],
] as const;
const inParts = parts.map(([when]) => when);
/** Days with memories below which nothing is said of times. */
const daysMin = 6;
/** Weeks in which a time must recur: a week of evenings is a week, no habit. */
const weeksMin = 4;
/** Share of the days that a weekday or part of the day must have. */
const weekdayShareMin = 0.5;
const partShareMin = 0.7;
/** "Mostly" is said where the lower end of the interval is at least so much: of 12 days, 10. */
const certainMin = 0.5;
const topicsMax = 500;

/**
 * Weekdays and parts of the day (UTC) at which memories are about something: of all memories, and of each topic. A day
 * counts once, however much was written; the share of days is the confidence, by the lower end of its Wilson interval.
 */
export async function foundInTimes(sources: readonly Source[]): Promise<Found[]> {
  const live = sources.filter(({ isPast }) => !isPast);
  const byTopic = new Map<string, Source[]>();
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

function timesOf(sources: readonly Source[], topic: string | null): Found[] {
  const days = new Map<number, Source>();
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
  groups: readonly (readonly Source[])[],
  total: number,
  shareMin: number,
  labels: readonly string[],
  topic: string | null,
): Found[] {
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

const weeksOf = (sources: readonly Source[]) =>
  new Set(sources.map(({ at }) => Math.floor(at / (7 * DAY_MS)))).size;

/** Lower end of the 95 % interval of a share (Wilson 1927). */
function wilsonLower(count: number, total: number): number {
  const z = 1.96;
  const share = count / total;
  const centre = share + (z * z) / (2 * total);
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  return (centre - spread) / (1 + (z * z) / total);
}
