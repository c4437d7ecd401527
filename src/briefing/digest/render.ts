import type { Memory } from '../../domain/memories/memory.ts';
import { statementsOf } from '../text/statements.ts';
import type { Change, DigestFormat, DigestMaterial, DigestSource, ScoredStatement } from './digest.ts';
import {
  cited,
  datedItems,
  dayOf,
  groupByMatter,
  groupByTitle,
  heading,
  inOrder,
  type SourceGroup,
} from './markdown.ts';
import { itemsOf, type NarrativeItem, narrativeOrder, type SentenceOfProse } from './narrative.ts';

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
        const own = statementsIn(group, grouped.statements);
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
    const own = statementsIn(group, statements);
    return own.length === 0 ? [] : [[heading(2, group.title), ...datedItems(own, sources)].join('\n')];
  });
}

function statementsIn({ sources }: SourceGroup, statements: readonly ScoredStatement[]) {
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

const titles = { SUPERSEDES: 'Superseded', CONTRADICTS: 'Contradicted' } as const;
const words = { SUPERSEDES: 'Superseded by', CONTRADICTS: 'Contradicted by' } as const;
const shownMax = 10;
/** UTF-16 units of a text that are read for its first statement, more than a statement has. */
const firstLengthMax = 2000;

interface ChangesSection {
  readonly text: string;
  /** Numbers of the sources that it cites. */
  readonly cites: readonly number[];
}

/** A section for each kind of change: the earlier statement, and the one that replaces or contradicts it. */
function renderChanges(changes: readonly Change[], isShown: boolean): ChangesSection[] {
  if (!isShown) return [];
  return (['SUPERSEDES', 'CONTRADICTS'] as const).flatMap((kind) => {
    const own = changes.filter((change) => change.kind === kind).slice(0, shownMax);
    const pairs = own.flatMap(({ earlier, later }) => {
      const [before, after] = [earlier, later].map(firstOf);
      return before && after ? [{ before, after }] : [];
    });
    if (pairs.length === 0) return [];
    const items = pairs.map(({ before, after }) => `- ${cited(before)} ${words[kind]}: ${cited(after)}`);
    return [
      {
        text: [heading(2, titles[kind]), ...items].join('\n'),
        cites: pairs.flatMap(({ before, after }) => [before.source, after.source]),
      },
    ];
  });
}

/** Undefined for a text of white space alone. */
const firstOf = ({ memory, number }: DigestSource) =>
  statementsOf(memory.content.trimStart().slice(0, firstLengthMax), number).at(0);

const progressTitles = { done: 'Done', doing: 'In progress', blocked: 'Blocked' } as const;
type Progress = keyof typeof progressTitles;

const blocked =
  /\b(blocked|blocker|stuck|waiting (?:for|on)|cannot|can't|unable to|fails?|failing|broken|depends on|on hold)\b/i;
const done =
  /\b(done|finished|completed?|shipped|merged|released|deployed|fixed|resolved|solved|closed|landed|signed off|delivered|published)\b/i;
const notYet =
  /\b(not|isn't|aren't|wasn't|yet to|to be|will be|needs? to|should|must|want(?:s|ed)? to|plan(?:s|ned)? to|todo)\b/i;

/** By the outcome that a client stated, else by words: a fix or an end without a "not yet" is done. */
function progressOf({ outcome, content }: Pick<Memory, 'outcome' | 'content'>): Progress {
  if (outcome === 'resolved') return 'done';
  if (outcome === 'unresolved') return blocked.test(content) ? 'blocked' : 'doing';
  if (done.test(content) && !notYet.test(content)) return 'done';
  return blocked.test(content) ? 'blocked' : 'doing';
}
