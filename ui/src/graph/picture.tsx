import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count, words } from '../words/words.ts';
import {
  fadedNodes,
  type Graph,
  type GraphNode,
  holdsAt,
  keyOf,
  labelledNodes,
  labelOf,
} from './graph-data.ts';
import { layOut, type Places } from './layout.ts';

interface Props {
  readonly graph: Graph;
  /** ms; undefined: now. */
  readonly at: number | undefined;
  /** 1: all of it fits. */
  readonly zoom: number;
  readonly selected: string;
  readonly onSelect: (key: string) => void;
  readonly onOpen: (node: GraphNode) => void;
  /** Makes a node the centre, with what is hidden around it. */
  readonly onAround: (node: GraphNode) => void;
}

const shapes: Readonly<Record<GraphNode['kind'], string>> = {
  memory: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0',
  entity: 'M-5.5-5.5h11v11h-11z',
  topic: 'M0-8L8 0L0 8L-8 0z',
  fact: 'M0-7.5L7.5 6h-15z',
  community: 'M-8 0L-4-7h8l4 7l-4 7h-8z',
};

/** The shape that stands for a kind of node; the area of a community grows with its topics, up to nine times. */
export function Shape({ kind, size = 1 }: Pick<GraphNode, 'kind' | 'size'>) {
  const scale = Math.min(3, 0.75 + Math.sqrt(size) / 4);
  return <path class={`shape ${kind}`} d={shapes[kind]} transform={`scale(${scale.toFixed(2)})`} />;
}

/** Room for names on both sides, and for a badge above. */
const margin = { x: 120, y: 30 };
/** A graph of few nodes is not blown up. */
const smallest = { width: 640, height: 320 };

/** Begin and length that hold all places, with a margin on both sides. */
function spanOf(
  places: readonly number[],
  room: number,
  least: number,
): readonly [begin: number, length: number] {
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const length = last - first + 2 * room;
  return [first - room - Math.max(0, least - length) / 2, Math.max(least, length)];
}

/** Draws by hand: a new set of 300 elements for each picture of the layout would take too long. */
function place(drawing: SVGSVGElement, { nodes, edges }: Graph, places: Places): void {
  const [lines, groups] = [drawing.querySelectorAll('line'), drawing.querySelectorAll('.node')];
  for (const [i, node] of nodes.entries()) {
    const { x, y } = places.get(keyOf(node)) ?? { x: 0, y: 0 };
    const [name, isLeft] = [groups[i]?.querySelector('.label'), x < 0];
    // Names point away from the centre.
    name?.setAttribute('text-anchor', isLeft ? 'end' : 'start');
    name?.setAttribute('x', isLeft ? '-11' : '11');
    groups[i]?.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }
  for (const [i, { from, to }] of edges.entries()) {
    const ends = { 1: places.get(from), 2: places.get(to) };
    for (const [end, at] of Object.entries(ends)) {
      lines[i]?.setAttribute(`x${end}`, (at?.x ?? 0).toFixed(1));
      lines[i]?.setAttribute(`y${end}`, (at?.y ?? 0).toFixed(1));
    }
  }
  const [x, y] = [[...places.values()].map(({ x }) => x), [...places.values()].map(({ y }) => y)];
  const [left, width] = spanOf(x, margin.x, smallest.width);
  const [top, height] = spanOf(y, margin.y, smallest.height);
  drawing.setAttribute('viewBox', [left, top, width, height].map((length) => length.toFixed(0)).join(' '));
}

const steps: Readonly<Record<string, (i: number, last: number) => number>> = {
  ArrowRight: (i) => i + 1,
  ArrowDown: (i) => i + 1,
  ArrowLeft: (i) => i - 1,
  ArrowUp: (i) => i - 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** The graph as a drawing; Tab leads to the selected node, arrows from node to node. */
export function Picture({ graph, at, zoom, selected, onSelect, onOpen, onAround }: Props) {
  const drawing = useRef<SVGSVGElement>(null);
  const [isLaidOut, setLaidOut] = useState(false);
  const hadFocus = useRef(false);
  useEffect(() => {
    setLaidOut(false);
    // A node that was opened is the centre now; its element may be another one.
    if (hadFocus.current && document.activeElement === document.body)
      drawing.current?.querySelector<SVGGElement>('[data-node]')?.focus();
    return layOut(graph, (places, isDone) => {
      if (drawing.current) place(drawing.current, graph, places);
      if (isDone) setLaidOut(true);
    });
  }, [graph]);
  const labelled = useMemo(() => labelledNodes(graph), [graph]);
  const faded = useMemo(() => fadedNodes(graph, at), [graph, at]);
  const { nodes, edges } = graph;
  const onKey = (event: KeyboardEvent, node: GraphNode, i: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = steps[event.key];
    if (event.key !== 'Enter' && !step) return;
    event.preventDefault();
    if (!step) return onOpen(node);
    const groups = drawing.current?.querySelectorAll<SVGGElement>('[data-node]');
    const next = groups?.[step(i, nodes.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  return (
    <div class={`drawing zoom-${zoom}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg ref={drawing} role="group" aria-label={words().graph.picture} data-laid-out={isLaidOut}>
        {edges.map((edge) => (
          <line
            key={`${edge.from} ${edge.type} ${edge.to}`}
            class={holdsAt(edge, at) ? `edge ${edge.type}` : `edge ${edge.type} faded`}
          />
        ))}
        {nodes.map((node, i) => (
          <g
            key={keyOf(node)}
            class={classOf(node, { isFaded: faded.has(keyOf(node)), isLabelled: labelled.has(keyOf(node)) })}
          >
            {/* biome-ignore lint/a11y/useSemanticElements: an anchor of SVG is no link for the router */}
            <g
              data-node={keyOf(node)}
              role="link"
              tabIndex={keyOf(node) === selected ? 0 : -1}
              aria-label={nameOf(node)}
              onFocus={() => {
                hadFocus.current = true;
                onSelect(keyOf(node));
              }}
              onClick={() => onOpen(node)}
              onKeyDown={(event) => onKey(event, node, i)}
            >
              <Shape kind={node.kind} size={node.size} />
            </g>
            {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: none of it can have the focus */}
            <g class="words" aria-hidden="true">
              <text class="label" y={4}>
                {labelOf(node.name)}
              </text>
              {node.hidden > 0 && node.distance > 0 && (
                <Badge hidden={node.hidden} onClick={() => onAround(node)} />
              )}
            </g>
          </g>
        ))}
      </svg>
    </div>
  );
}

function nameOf({ kind, name, hidden }: GraphNode): string {
  const text = words().graph;
  return text.nodeName(text.kinds[kind], labelOf(name, 120), hidden);
}

function classOf(node: GraphNode, is: { readonly isFaded: boolean; readonly isLabelled: boolean }): string {
  const state = node.effectiveState ?? 'current';
  return [
    'node',
    node.distance === 0 && 'centre',
    state !== 'current' && 'outdated',
    is.isFaded && 'faded',
    is.isLabelled && 'labelled',
  ]
    .filter(Boolean)
    .join(' ');
}

/** For the mouse: with the keyboard the same is a link below the picture. */
function Badge({ hidden, onClick }: { readonly hidden: number; readonly onClick: () => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <text class="badge" x={0} y={-10} text-anchor="middle" onClick={onClick}>
      {`+${count(hidden)}`}
    </text>
  );
}
