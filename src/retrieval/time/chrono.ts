import { Chrono, en, type ParsedResult, type Parser } from 'chrono-node';
import type { EpochMs } from '../../domain/shared/time.ts';

/** How chrono-node repeats a counted unit, as in "1 year, 2 months and 3 days". */
const repeatedUnits = '{0,10}';
/** Two more units than one are as many as anybody says; each one more multiplies the time of a text that fails to fit. */
const fewUnits = '{0,2}';

/** `parser` with short repetitions: between ten units white space can be shared out in millions of ways. */
function withFewUnits(parser: Parser): Parser {
  let last: { readonly pattern: RegExp; readonly short: RegExp } | undefined;
  return {
    pattern(context) {
      const pattern = parser.pattern(context);
      if (last?.pattern !== pattern) {
        const short = new RegExp(pattern.source.replaceAll(repeatedUnits, fewUnits), pattern.flags);
        last = { pattern, short };
      }
      return last.short;
    },
    extract: (context, match) => parser.extract(context, match),
  };
}

export const reader = new Chrono({
  parsers: en.casual.parsers.map(withFewUnits),
  refiners: en.casual.refiners,
});

/**
 * The English dates and counted times in a text, in UTC.
 * @param text a few hundred characters without two white spaces in a row: time grows with the square of the length
 */
export function readDates(text: string, now: EpochMs): ParsedResult[] {
  return reader.parse(text, { instant: new Date(now), timezone: 0 });
}
