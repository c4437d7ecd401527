import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import { type Graph, keyOf } from './graph-data.ts';

interface Placed extends SimulationNodeDatum {
  readonly key: string;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Places by key of a node. */
export type Places = ReadonlyMap<string, Place>;

/** The longest stretch of work: keys, clicks and drawing come between two. */
const sliceMs = 8;
const roomyMax = 60;
/** Drawing 300 nodes takes several times as long as a slice. */
const drawnEveryMs = 300;
/** The name of the slices in the timeline of the browser. */
const sliceName = 'memoryd graph layout';

/**
 * Lays out a graph in slices, the same graph always alike. `draw` gets the places now and then, with `isDone` at last.
 * @returns ends it
 */
export function layOut(graph: Graph, draw: (places: Places, isDone: boolean) => void): () => void {
  const nodes: Placed[] = graph.nodes.map((node, i) =>
    i === 0 ? { key: keyOf(node), fx: 0, fy: 0 } : { key: keyOf(node) },
  );
  const links: SimulationLinkDatum<Placed>[] = graph.edges.map(({ from, to }) => ({
    source: from,
    target: to,
  }));
  // Few nodes have the room for the names of all.
  const room = nodes.length < roomyMax ? 2 : 1;
  const simulation = forceSimulation(nodes)
    .force(
      'charge',
      forceManyBody()
        .strength(-90 * room ** 2)
        .distanceMax(500),
    )
    .force(
      'link',
      forceLink<Placed, SimulationLinkDatum<Placed>>(links)
        .id(({ key }) => key)
        .distance(50 * room),
    )
    .force('collide', forceCollide(14 * room))
    // The window is wider than high.
    .force('x', forceX(0).strength(0.04))
    .force('y', forceY(0).strength(0.07))
    .stop();
  let timer: number | undefined;
  let drawnAt = performance.now();
  const slice = () => {
    const start = performance.now();
    do simulation.tick();
    while (simulation.alpha() >= simulation.alphaMin() && performance.now() - start < sliceMs);
    performance.measure(sliceName, { start, end: performance.now() });
    const isDone = simulation.alpha() < simulation.alphaMin();
    if (isDone || performance.now() - drawnAt > drawnEveryMs) {
      draw(new Map(nodes.map(({ key, x = 0, y = 0 }) => [key, { x, y }])), isDone);
      drawnAt = performance.now();
    }
    timer = isDone ? undefined : window.setTimeout(slice);
  };
  timer = window.setTimeout(slice);
  return () => window.clearTimeout(timer);
}
