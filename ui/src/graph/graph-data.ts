import { partsOf } from '../text/parts.ts';

/** When something holds, as ISO 8601; absent: it always has, or still does. */
interface Span {
  readonly validFrom?: string;
  readonly validTo?: string;
}

export interface GraphNode extends Span {
  readonly kind: 'memory' | 'entity' | 'topic' | 'fact' | 'community';
  readonly id: string;
  readonly name: string;
  readonly type?: string;
  readonly effectiveState?: string;
  /** Topics of a community. */
  readonly size?: number;
  readonly distance: number;
  readonly hidden: number;
}

interface GraphEdge extends Span {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly confidence: number;
}

/** The answer of `GET /api/graph`. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly hiddenEdges: number;
}

/** `around` that shows all communities. */
export const aroundCommunities = 'communities';

export const keyOf = ({ kind, id }: Pick<GraphNode, 'kind' | 'id'>) => `${kind}:${id}`;

/** @param at ms; undefined: now, at which all that is in the graph is shown as it is */
export function holdsAt({ validFrom, validTo }: Span, at: number | undefined): boolean {
  if (at === undefined) return true;
  return (
    (validFrom === undefined || Date.parse(validFrom) <= at) &&
    (validTo === undefined || at < Date.parse(validTo))
  );
}

export const dayMs = 86_400_000;

/** The first and the last day on which an edge begins or ends to hold, as ms; undefined where there is no time between. */
export function daysOf({ edges }: Graph): { readonly first: number; readonly last: number } | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { validFrom, validTo } of edges)
    for (const time of [validFrom, validTo]) {
      if (time === undefined) continue;
      const day = Math.floor(Date.parse(time) / dayMs) * dayMs;
      [first, last] = [Math.min(first, day), Math.max(last, day)];
    }
  return first < last ? { first, last: last + dayMs } : undefined;
}

/** Keys of nodes of which no edge holds at a time; the centre always stays. */
export function fadedNodes({ nodes, edges }: Graph, at: number | undefined): ReadonlySet<string> {
  if (at === undefined) return new Set();
  const held = new Set(edges.filter((edge) => holdsAt(edge, at)).flatMap(({ from, to }) => [from, to]));
  return new Set(
    nodes
      .slice(1)
      .map(keyOf)
      .filter((key) => !held.has(key)),
  );
}

const labelLength = 28;

/** A name in one line; characters that are not seen, or that move others, by their numbers. */
export function labelOf(name: string, length = labelLength): string {
  const shown = partsOf(name.replace(/\s+/g, ' '))
    .map(({ text }) => text)
    .join('');
  const characters = [...shown];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : shown;
}

const labelledMax = 40;

/** Keys of the nodes whose names are always drawn: the centre, then those with the most edges. */
export function labelledNodes({ nodes, edges }: Graph): ReadonlySet<string> {
  const degrees = new Map<string, number>();
  for (const { from, to } of edges)
    for (const end of [from, to]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  const degree = (node: GraphNode) =>
    node.distance === 0 ? Number.MAX_VALUE : (degrees.get(keyOf(node)) ?? 0);
  return new Set(
    nodes
      .toSorted((a, b) => degree(b) - degree(a))
      .slice(0, labelledMax)
      .map(keyOf),
  );
}

/** The address of the graph with these parameters; undefined and empty ones are left out. */
export function addressOfGraph(query: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? '/ui/graph' : `/ui/graph?${text}`;
}
