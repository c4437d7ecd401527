import { groupBy } from '../../lib/collections.ts';
import { DAY_MS, type EpochMs } from '../shared/time.ts';
import type { PatternSummary, Sighting } from './pattern.ts';

export const groupings = ['type', 'context', 'confidence'] as const;
export type Grouping = (typeof groupings)[number];

type TrendDirection = 'rising' | 'steady' | 'falling';

interface Trend {
  readonly patterns: number;
  /** Sightings of these patterns within the range. */
  readonly occurrences: number;
  readonly averageConfidence: number;
  /** Occurrences in each period, the earliest first. */
  readonly counts: readonly number[];
  /** Increase of occurrences a period, by least squares. */
  readonly slope: number;
  readonly direction: TrendDirection;
}

export interface PatternAnalysis {
  readonly totalPatterns: number;
  /** Patterns seen within the range. */
  readonly recentPatterns: number;
  readonly trends: Readonly<Record<string, Trend>>;
  readonly periodDays: number;
  readonly insights: readonly string[];
  readonly recommendations: readonly string[];
}

const periodsMax = 10;
/** A slope up to this share of the mean count is steady. */
const steadyShare = 0.1;

/** Only the largest groups are returned. */
const groupsMax = 100;

const bandOf = (confidence: number) => (confidence >= 0.7 ? 'high' : confidence >= 0.4 ? 'medium' : 'low');

const groupOf: Readonly<Record<Grouping, (pattern: PatternSummary) => string>> = {
  type: ({ type }) => type,
  context: ({ context }) => context ?? 'none',
  confidence: ({ confidence }) => bandOf(confidence),
};

/** @param days of the range, which ends at `now` */
export async function analyzePatterns(
  patterns: readonly PatternSummary[],
  sightings: AsyncIterable<Sighting>,
  {
    days,
    groupBy: grouping,
    now,
  }: { readonly days: number; readonly groupBy: Grouping; readonly now: EpochMs },
): Promise<PatternAnalysis> {
  const periods = Math.min(days, periodsMax);
  const from = now - days * DAY_MS;
  const periodOf = (at: EpochMs) =>
    Math.min(periods - 1, Math.floor(((at - from) / (days * DAY_MS)) * periods));
  const byPattern = new Map<string, number[]>();
  for await (const { patternId, at } of sightings) {
    if (at < from || at > now) continue;
    const counts = byPattern.get(patternId) ?? Array.from({ length: periods }, () => 0);
    counts[periodOf(at)]++;
    byPattern.set(patternId, counts);
  }
  const byGroup = groupBy(patterns, groupOf[grouping]);
  const largest = [...byGroup].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  const trends = largest.slice(0, groupsMax).map(([group, own]) => {
    const counts = Array.from({ length: periods }, () => 0);
    for (const { id } of own)
      for (const [period, count] of byPattern.get(id)?.entries() ?? []) counts[period] += count;
    return [group, trendOf(own, counts)] as const;
  });
  return {
    totalPatterns: patterns.length,
    recentPatterns: patterns.filter(({ id }) => byPattern.has(id)).length,
    trends: Object.fromEntries(trends),
    periodDays: days / periods,
    insights: insightsOf(trends),
    recommendations: recommendationsOf(patterns, byPattern, days),
  };
}

function trendOf(own: readonly PatternSummary[], counts: readonly number[]): Trend {
  const occurrences = counts.reduce((sum, count) => sum + count, 0);
  const slope = slopeOf(counts);
  const mean = occurrences / counts.length;
  const isSteady = Math.abs(slope) <= mean * steadyShare;
  const average = own.reduce((sum, { confidence }) => sum + confidence, 0) / own.length;
  return {
    patterns: own.length,
    occurrences,
    averageConfidence: round(average),
    counts,
    slope: round(slope),
    direction: isSteady ? 'steady' : slope > 0 ? 'rising' : 'falling',
  };
}

/** Slope of the least-squares line through (0, counts[0]), (1, counts[1]), ... */
function slopeOf(counts: readonly number[]): number {
  const middle = (counts.length - 1) / 2;
  let above = 0;
  let below = 0;
  for (const [i, count] of counts.entries()) {
    above += (i - middle) * count;
    below += (i - middle) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

const round = (value: number) => Math.round(value * 1000) / 1000;

const insightsOf = (trends: readonly (readonly [string, Trend])[]): string[] =>
  trends
    .filter(([, { occurrences }]) => occurrences > 0)
    .slice(0, 10)
    .map(
      ([group, { patterns, occurrences, direction }]) =>
        `${group}: ${patterns} ${patterns === 1 ? 'pattern' : 'patterns'}, seen ${occurrences} times in this range, ${direction}.`,
    );

function recommendationsOf(
  patterns: readonly PatternSummary[],
  seen: Pick<ReadonlyMap<string, unknown>, 'has'>,
  days: number,
): string[] {
  const unsure = patterns.filter(({ confidence }) => confidence < 0.5).length;
  const unseen = patterns.filter(({ id, edited }) => !seen.has(id) && edited.length === 0).length;
  const said: string[] = [];
  if (patterns.length === 0) said.push('Compile patterns: there are none yet.');
  if (unsure > 0) said.push(`Say of ${unsure} patterns below confidence 0.5 whether they are true.`);
  if (unseen > 0) said.push(`Look at ${unseen} patterns that were not seen in the last ${days} days.`);
  return said;
}
