import { share, shortDay, words } from '../words/words.ts';
import { addressOfNode, aroundOf } from './addresses.ts';
import { type Graph, type GraphNode, holdsAt, keyOf, labelOf } from './graph-data.ts';
import { Shape } from './picture.tsx';

interface Props {
  readonly graph: Graph;
  readonly at: number | undefined;
}

/** The same nodes and edges as the drawing, as tables. */
export function GraphTables({ graph, at }: Props) {
  const text = words().graph;
  const nodes = new Map(graph.nodes.map((node) => [keyOf(node), node]));
  return (
    <>
      <div class="scroll">
        <table aria-label={text.nodes} data-nodes>
          <Head columns={[text.kind, words().tables.name, text.steps, text.hidden]} />
          <tbody>
            {graph.nodes.map((node) => (
              <tr key={keyOf(node)} data-row tabIndex={-1}>
                <td>
                  <Kind kind={node.kind} />
                </td>
                <td>
                  <Name node={node} />
                </td>
                <td class="number">{node.distance}</td>
                <td class="number">{node.hidden > 0 && <a href={aroundOf(node)}>{`+${node.hidden}`}</a>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="scroll">
        <table aria-label={text.edges} data-edges>
          <Head columns={[text.from, words().tables.type, text.to, words().tables.confidence, text.holds]} />
          <tbody>
            {graph.edges.map((edge) => (
              <tr
                key={`${edge.from} ${edge.type} ${edge.to}`}
                class={holdsAt(edge, at) ? undefined : 'faded'}
                data-row
                tabIndex={-1}
              >
                <td>
                  <Name node={nodes.get(edge.from)} />
                </td>
                <td>{edge.type}</td>
                <td>
                  <Name node={nodes.get(edge.to)} />
                </td>
                <td class="number">{share(edge.confidence)}</td>
                <td>
                  {edge.validFrom && shortDay(edge.validFrom)}
                  {edge.validTo && ` – ${shortDay(edge.validTo)}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Head({ columns }: { readonly columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A kind by its shape and its name. */
export function Kind({ kind }: Pick<GraphNode, 'kind'>) {
  return (
    <span class="kind">
      <svg viewBox="-9 -9 18 18" aria-hidden="true">
        <Shape kind={kind} />
      </svg>
      {words().graph.kinds[kind]}
    </span>
  );
}

function Name({ node }: { readonly node: GraphNode | undefined }) {
  if (!node) return null;
  return (
    <a href={addressOfNode(node)}>
      <bdi>{labelOf(node.name, 120)}</bdi>
    </a>
  );
}
