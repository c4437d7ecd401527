import { words } from '../words/words.ts';
import { aroundOf } from './addresses.ts';
import { type GraphNode, labelOf } from './graph-data.ts';

/** Leads to the graph around a record. */
export function GraphLink({ kind, id, name }: Pick<GraphNode, 'kind' | 'id' | 'name'>) {
  const text = words().views.graph;
  return (
    <a class="hint" href={aroundOf({ kind, id })} aria-label={`${text}: ${labelOf(name, 120)}`}>
      {text}
    </a>
  );
}
