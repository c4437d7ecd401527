import { groupBy } from '../../lib/collections.ts';
import { Citations } from './cite.ts';
import type { DigestFormat, DigestMaterial, DigestSource, ScoredStatement } from './digest.ts';
import { commonLabel, groupByMatter } from './group-sources.ts';
import { answerFirst, heading, inOrder } from './markdown.ts';
import { itemsOf, type NarrativeItem, narrativeOrder, type SentenceOfProse } from './narrative.ts';
import { progressTitles } from './progress.ts';

type Render = (digest: Written) => string[];

interface Written {
  readonly material: DigestMaterial;
  readonly statements: readonly ScoredStatement[];
  readonly sources: ReadonlyMap<number, DigestSource>;
  readonly citations: Citations;
  readonly worded: Wording;
}

/** Parts of a digest in the words of an LLM. */
interface Wording {
  /** Of a narrative; statements without a sentence appear word for word. */
  readonly sentences?: readonly SentenceOfProse[];
  /** Headings in place of the titles of groups. */
  readonly headings?: ReadonlyMap<string | undefined, string>;
}

export interface RenderedDigest {
  readonly text: string;
  /** The sources that the text cites, with the numbers that it gives to them. */
  readonly used: readonly DigestSource[];
}

/** Clients of this API look for the first two words. */
export const nothingFound = 'No sources: nothing that is stored matches the query.';
const otherTitle = 'Other';

/**
 * Markdown of a digest from its first statements.
 */
export function renderDigest(
  material: DigestMaterial,
  statements: readonly ScoredStatement[],
  format: DigestFormat,
  worded: Wording = {},
): RenderedDigest {
  const title = heading(1, material.query);
  if (material.statements.length === 0) return { text: `${title}\n\n${nothingFound}\n`, used: [] };
  const sources = new Map(material.sources.map((source) => [source.number, source]));
  const citations = new Citations(material, statements);
  const sections = renderers[format]({ material, statements, sources, citations, worded });
  const ids = material.listsIds && citations.used.length > 0 ? [idsOf(citations.used)] : [];
  const parts = [title, summaryOf(material, citations), ...sections, ...ids];
  return { text: `${parts.join('\n\n')}\n`, used: citations.used };
}

/** Counts the sources cited, and all found if there are more. */
function summaryOf({ sources }: DigestMaterial, { used, days }: Citations): string {
  const conversations = new Set(used.map(({ memory }) => memory.conversationId)).size;
  const found = sources.length > used.length ? ` of ${sources.length} found` : '';
  const span = days.length > 0 ? `, from ${days[0]} to ${days[days.length - 1]}` : '';
  return `Sources: ${used.length}${found}, conversations: ${conversations}${span}.`;
}

/** The ids of the sources that the text cites, by their numbers. */
function idsOf(used: readonly DigestSource[]): string {
  return [heading(2, 'Memories'), ...used.map(({ number, memory }) => `- [${number}] ${memory.id}`)].join(
    '\n',
  );
}

const renderers: Readonly<Record<DigestFormat, Render>> = {
  structured: ({ material, statements, sources, citations, worded }) => {
    const groups = groupByMatter(material, statements);
    return groups.map(({ title, statements: own }) => {
      const shownTitle = worded.headings?.get(title) ?? title ?? (groups.length > 1 ? otherTitle : undefined);
      return section(shownTitle, datedItems(answerFirst(own, sources), citations));
    });
  },
  timeline: ({ statements, sources, citations }) =>
    [...groupBy(inOrder(statements, sources), (statement) => citations.dayOf(statement))].map(([day, own]) =>
      section(
        day,
        own.map((statement) => `- ${citations.line(statement)}`),
      ),
    ),
  narrative: ({ material, statements, citations, worded }) =>
    narrativeOrder(material, statements).map(({ sources: own, statements: some }) =>
      section(commonLabel(own, material.names), [
        paragraph(itemsOf(some, worded.sentences ?? [], citations), citations),
      ]),
    ),
  'status-report': ({ statements, sources, citations }) => {
    const groups = groupBy(statements, ({ source }) => sources.get(source)?.progress);
    return (['done', 'open', 'blocked'] as const).flatMap((progress) => {
      const own = groups.get(progress) ?? [];
      return own.length === 0
        ? []
        : [section(progressTitles[progress], datedItems(inOrder(own, sources), citations))];
    });
  },
};

const section = (title: string | undefined, lines: readonly string[]) =>
  [...(title === undefined ? [] : [heading(2, title)]), ...lines].join('\n');

/** List items; each has its day if that differs from the previous one's. */
function datedItems(statements: readonly ScoredStatement[], citations: Citations): string[] {
  let before = '';
  return statements.map((statement) => {
    const day = citations.dayOf(statement);
    const prefix = day === before ? '' : `${day}: `;
    before = day;
    return `- ${prefix}${citations.line(statement)}`;
  });
}

/** In one paragraph, each day named once. */
function paragraph(items: readonly NarrativeItem[], citations: Citations): string {
  let before = '';
  return items
    .map(({ text, first }) => {
      const day = citations.dayOf(first);
      const prefix = day === before ? '' : `On ${day}: `;
      before = day;
      return prefix + text;
    })
    .join(' ');
}
