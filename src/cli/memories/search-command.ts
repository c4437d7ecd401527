import { type Command, Option } from 'commander';
import type { SearchResponseRecord, SearchResultRecord } from '../../http/routes/memories/search-response.ts';
import { Service } from '../client/service.ts';
import { type PageOptions, pagedCommand } from '../client/service-options.ts';
import { readTime } from '../output/local-time.ts';
import type { Print } from '../output/print-list.ts';
import type { Column } from '../output/table.ts';
import { note } from '../output/terminal.ts';
import { addFilterOptions, type FilterOptions, toFilterQuery } from './filters.ts';
import { memoryColumns } from './memory-table.ts';
import { printPage } from './print-page.ts';
import { readText } from './read-text.ts';

interface Options extends PageOptions, FilterOptions {
  readonly method?: string;
  readonly asOf?: string;
  readonly explain?: true;
}

const methods = ['hybrid', 'semantic', 'keyword'] as const;
const hitsDefault = 10;

const score: Column<SearchResultRecord> = {
  heading: 'SCORE',
  valueIn: (hit) => hit.score?.toFixed(2),
  align: 'right',
  format: 'dim',
};

/** `memoryd search QUERY` */
export function searchCommand(print: Print): Command {
  return addFilterOptions(pagedCommand('search', hitsDefault))
    .argument('<query...>', 'what to find; - reads standard input')
    .addOption(new Option('--method <method>', 'how to find (default: hybrid)').choices(methods))
    .option('--as-of <time>', 'what was known then: 2026-11-22, "2026-11-22 14:05" or ISO 8601')
    .option('--explain', 'say of each memory why it was found')
    .action(async (words: readonly string[], options: Options) => {
      const { limit, offset, method, asOf, explain } = options;
      const found = await new Service(options).get<SearchResponseRecord>('/api/memories/search', {
        q: await readText(words),
        limit,
        offset,
        searchMethod: method,
        asOfTime: asOf && readTime(asOf, 'end'),
        explain,
        includeTopics: true,
        ...toFilterQuery(options),
      });
      printHits(print, found, options);
    });
}

function printHits(print: Print, found: SearchResponseRecord, options: Options): void {
  const { data, meta } = found;
  for (const { name, reason } of meta.branchFailures ?? [])
    note(`The ${name} part of the search failed (${reason}): what is shown was found without it.`);
  const [id, ...others] = memoryColumns;
  const columns = id === undefined ? [] : [id, score, ...others];
  const page = {
    columns,
    below: ({ explanation }: SearchResultRecord) => explanation?.matchReason,
    items: data.map((hit) => ({ ...hit, content: hit.preview })),
    total: meta.total,
    none: 'No memory matches.',
    body: found,
  };
  printPage(print, page, options);
}
