import type { DigestFormat, DigestMaterial, DigestSource, ScoredStatement } from './digest.ts';
import { groupByMatter, groupByTitle, type SourceGroup } from './group-sources.ts';
import { cited, datedItems, dayOf, heading, inOrder } from './markdown.ts';
import { itemsOf, type NarrativeItem, narrativeOrder, type SentenceOfProse } from './narrative.ts';
import { progressOf, progressTitles } from './progress.ts';
import { renderChanges } from './render-changes.ts';

type Render = (groups: Grouped) => string[];

interface Grouped {
  readonly material: DigestMaterial;
  readonly statements: readonly ScoredStatement[];
  readonly sources: ReadonlyMap<number, DigestSource>;
  readonly prose: readonly SentenceOfProse[];
}

/** All words of a digest that do not come from its sources, except headings. */
export const connectingWords = [
  'Sources',
  'conversations',
  'from',
  'to',
  'On',
  'Superseded by',
  'Contradicted by',
];
/** Clients of this API look for the first two words. */
export const nothingFound = 'No sources: nothing that is stored matches the query.';

/**
 * Markdown of a digest from its first statements.
 *
 * @param prose of a narrative; statements without a sentence appear word for word
 */
export function renderDigest(
  material: DigestMaterial,
  statements: readonly ScoredStatement[],
  format: DigestFormat,
  prose: readonly SentenceOfProse[] = [],
): string {
  const title = heading(1, material.query);
  if (material.sources.length === 0) return `${title}\n\n${nothingFound}\n`;
  const sources = new Map(material.sources.map((source) => [source.number, source]));
  const sections = renderers[format]({ material, statements, sources, prose });
  const changes = renderChanges(material.changes, statements.length > 0);
  const citedSources = [...statements.map(({ source }) => source), ...changes.flatMap(({ cites }) => cites)];
  const ids = material.listsIds ? [idsOf(citedSources, sources)] : [];
  const said = changes.map(({ text }) => text);
  return `${[title, summaryOf(material.sources), ...sections, ...said, ...ids].join('\n\n')}\n`;
}

function summaryOf(sources: readonly DigestSource[]): string {
  const days = sources.map(dayOf).sort();
  const conversations = new Set(sources.map(({ memory }) => memory.conversationId)).size;
  return `Sources: ${sources.length}, conversations: ${conversations}, from ${days[0]} to ${days[days.length - 1]}.`;
}

/** The ids of the sources that the text cites, by their numbers. */
function idsOf(numbersCited: readonly number[], sources: ReadonlyMap<number, DigestSource>): string {
  const numbers = [...new Set(numbersCited)].sort((a, b) => a - b);
  return [heading(2, 'Memories'), ...numbers.map((n) => `- [${n}] ${sources.get(n)?.memory.id ?? ''}`)].join(
    '\n',
  );
}

const renderers: Readonly<Record<DigestFormat, Render>> = {
  structured: (grouped) => listed(grouped, groupByMatter(grouped.material.sources)),
  timeline: (grouped) => {
    const days = groupByTitle(grouped.material.sources, dayOf);
    return days
      .sort((a, b) => (a.title < b.title ? -1 : 1))
      .flatMap((group) => {
        const own = statementsOf(group, grouped.statements);
        if (own.length === 0) return [];
        const items = inOrder(own, grouped.sources).map((statement) => `- ${cited(statement)}`);
        return [[heading(2, group.title), ...items].join('\n')];
      });
  },
  narrative: ({ material, statements, sources, prose }) =>
    narrativeOrder(material, statements).flatMap(({ title, statements: own }) => [
      heading(2, title),
      paragraph(itemsOf(own, prose), sources),
    ]),
  'status-report': (grouped) => {
    const groups = groupByTitle(grouped.material.sources, ({ memory }) => progressTitles[progressOf(memory)]);
    const order: readonly string[] = Object.values(progressTitles);
    return listed(
      grouped,
      groups.sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title)),
    );
  },
};

function listed({ statements, sources }: Grouped, groups: readonly SourceGroup[]): string[] {
  return groups.flatMap((group) => {
    const own = statementsOf(group, statements);
    return own.length === 0 ? [] : [[heading(2, group.title), ...datedItems(own, sources)].join('\n')];
  });
}

function statementsOf({ sources }: SourceGroup, statements: readonly ScoredStatement[]) {
  const numbers = new Set(sources.map(({ number }) => number));
  return statements.filter(({ source }) => numbers.has(source));
}

/** In one paragraph, each day named once. */
function paragraph(items: readonly NarrativeItem[], sources: ReadonlyMap<number, DigestSource>): string {
  let before = '';
  return items
    .map(({ text, first }) => {
      const source = sources.get(first.source);
      const day = source ? dayOf(source) : '';
      const prefix = day === before ? '' : `On ${day}: `;
      before = day;
      return prefix + text;
    })
    .join(' ');
}
