import { DAY_MS, type EpochMs } from '../../../domain/shared/time.ts';
import type { NamedPeriod } from './named-periods.ts';
import { timePhrases } from './time-phrases.ts';

/** A period that a text names: `from` inclusive, `to` exclusive. */
export type NamedTime = Pick<NamedPeriod, 'from' | 'to'>;

/** Most of a text has no such words, and a long text repeats itself. */
const searchedLengthMax = 20_000;
const timesMax = 4;
const piecesMax = 8;
/** UTF-16 units to read on both sides of a time word; the longest phrases are at most half of this. */
const around = 60;
const pieceLengthMax = 300;
/** Maximum length: "ten years ago" is too vague to be a time of a memory. */
const longestMs = 366 * DAY_MS;

/** Words of times relative to the time of writing, except those that name it ("today", "this week"). */
const countedWords = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    'yesterday|tomorrow|ago|last|past|next',
    '(?:vor)?gestern|(?:letzte|vergangene|vorige|nächste|kommende)[nrsm]?|vor',
    'hier|avant-hier|derni[eè]re?s?|derniers|pass[ée]e?|prochaine?|il y a',
    'ayer|anteayer|hace|pasad[oa]|próxim[oa]|últim[oa]s',
  ].join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
);

/** Parts of a text around time words, from its beginning; overlapping parts are joined, up to a bound. */
function* piecesWithTimes(text: string): Generator<string> {
  let end = 0;
  let count = 0;
  for (const { index, 0: found } of text.matchAll(countedWords)) {
    if (index < end) continue;
    if (count++ === piecesMax) return;
    const start = Math.max(end, index - around);
    end = index + found.length + around;
    // Phrases of one sentence stay together: "last Friday, not last Monday".
    yield text.slice(start, Math.min(end, start + pieceLengthMax));
  }
}

/**
 * Times that a memory's text names relative to its own time: "last Friday", "two weeks
 * ago", "gestern". UTC, the first four in the order of the text. Times longer than a
 * year are left out, and so are dates, because their words are in the text anyway.
 * @param at reference time
 */
export function timesInText(content: string, at: EpochMs): NamedTime[] {
  const text = content.slice(0, searchedLengthMax).replace(/\s+/g, ' ');
  const found = new Map<string, NamedTime>();
  for (const piece of piecesWithTimes(text)) {
    for (const { text: words, from, to } of timePhrases(piece, at)) {
      if (words.search(countedWords) < 0 || to - from > longestMs) continue;
      found.set(`${from} ${to}`, { from, to });
      if (found.size === timesMax) return [...found.values()];
    }
  }
  return [...found.values()];
}
