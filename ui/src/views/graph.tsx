import { useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import type { Entity, Page } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { addressOf } from '../frame/query-bar.tsx';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { addressOfNode, aroundOf } from '../graph/addresses.ts';
import {
  type Community,
  graphOfCommunities,
  graphOfCommunity,
  type WholeCommunity,
} from '../graph/communities.ts';
import { saveSvg } from '../graph/export-svg.ts';
import {
  addressOfGraph,
  aroundCommunities,
  dayMs,
  daysOf,
  type Graph,
  type GraphNode,
  keyOf,
  labelOf,
} from '../graph/graph-data.ts';
import { Picture } from '../graph/picture.tsx';
import { GraphTables, Kind } from '../graph/tables.tsx';
import { ForeignText } from '../text/foreign-text.tsx';
import { count, moment, shortDay, words } from '../words/words.ts';
import './graph.css';

const limits = ['150', '300'] as const;
const depths = ['1', '2'] as const;
const zooms = [1, 2, 4] as const;
const communitiesMax = 100;
const kinds = ['community', 'memory', 'entity', 'topic', 'fact'] as const;

/** One thing with what is around it, as a drawing or as tables; all that is chosen is in the address. */
export function GraphView() {
  const { around } = useLocation().query;
  return (
    <section aria-labelledby="graph-title">
      <h1 id="graph-title">{words().views.graph}</h1>
      <p class="bar">
        <a href={addressOfGraph({ around: aroundCommunities })}>{words().graph.communities}</a>
      </p>
      <Chosen around={around} />
    </section>
  );
}

function Chosen({ around = '' }: { readonly around: string | undefined }) {
  if (around === '') return <Suggested />;
  if (around === aroundCommunities) return <Communities />;
  const [kind, id = ''] = around.split(':');
  return kind === 'community' ? <OneCommunity key={id} id={id} /> : <Around around={around} />;
}

/** All communities, as nodes sized by their topics. */
function Communities() {
  const loaded = useQuery<Page<Community>>({
    path: '/api/topics/communities',
    query: { limit: communitiesMax },
  });
  const detect = () =>
    act(words().graph.detected, async () => {
      await ask({ method: 'POST', path: '/api/topics/detect-communities' });
      return undefined;
    });
  return (
    <>
      {mayWrite.value && (
        <button type="button" onClick={() => void detect()}>
          {words().graph.detect}
        </button>
      )}
      <Shown of={loaded}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <p class="empty">{words().graph.noCommunities}</p>
          ) : (
            <Ready of={data} toGraph={(communities) => graphOfCommunities(communities, pagination.count)} />
          )
        }
      </Shown>
    </>
  );
}

function OneCommunity({ id }: { readonly id: string }) {
  const loaded = useQuery<{ data: WholeCommunity }>({ path: `/api/topics/communities/${id}` });
  return (
    <Shown of={loaded}>
      {({ data }) => <Ready of={data} toGraph={(one) => graphOfCommunity(one, Number(limits[0]))} />}
    </Shown>
  );
}

interface ReadyProps<T> {
  readonly of: T;
  readonly toGraph: (of: T) => Graph;
}

/** A graph made of a response, once for each. */
function Ready<T>({ of, toGraph }: ReadyProps<T>) {
  const graph = useMemo(() => toGraph(of), [of]);
  const change = useChange();
  return (
    <>
      <p class="bar">
        <TablesButton />
      </p>
      <Loaded graph={graph} onChange={change} />
    </>
  );
}

/** Changes parameters of the address. */
function useChange() {
  const { query, route } = useLocation();
  return (more: Readonly<Record<string, string | undefined>>) =>
    route(addressOfGraph({ ...query, ...more }), true);
}

function TablesButton() {
  const { table } = useLocation().query;
  const change = useChange();
  const turn = () => change({ table: table ? undefined : '1' });
  useViewKeys({ t: turn });
  return (
    <button type="button" aria-pressed={Boolean(table)} onClick={turn}>
      {words().graph.table} <kbd>t</kbd>
    </button>
  );
}

/** The people and things that most memories mention, to begin with. */
function Suggested() {
  const loaded = useQuery<Page<Entity>>({ path: '/api/entities', query: { limit: 10 } });
  return (
    <Shown of={loaded}>
      {({ data }) => (
        <>
          <p class="empty">{data.length === 0 ? words().tables.none : words().graph.suggest}</p>
          <ul>
            {data.map(({ id, name, type, mentionCount }) => (
              <li key={id}>
                <a href={aroundOf({ kind: 'entity', id })} data-row>
                  <bdi>{labelOf(name, 120)}</bdi>
                </a>{' '}
                <span class="hint">
                  {type}, {words().memories(mentionCount)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Shown>
  );
}

function Around({ around }: { readonly around: string }) {
  const { depth = '1', limit = limits[0] } = useLocation().query;
  const loaded = useQuery<{ data: Graph }>({ path: '/api/graph', query: { around, depth, limit } });
  const change = useChange();
  const text = words().graph;
  return (
    <>
      <div class="bar">
        <Choice
          name={text.depth}
          values={depths}
          value={depth}
          onChoose={(value) => change({ depth: value })}
        />
        <Choice
          name={text.most}
          values={limits}
          value={limit}
          onChoose={(value) => change({ limit: value })}
        />
        <TablesButton />
      </div>
      <Shown of={loaded}>{({ data }) => <Loaded graph={data} onChange={change} />}</Shown>
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly values: readonly string[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

function Choice({ name, values, value, onChoose }: ChoiceProps) {
  return (
    <fieldset class="choice">
      <legend>{name}</legend>
      {values.map((each) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChoose(each)}>
          {each}
        </button>
      ))}
    </fieldset>
  );
}

interface LoadedProps {
  readonly graph: Graph;
  readonly onChange: (more: Readonly<Record<string, string | undefined>>) => void;
}

function Loaded({ graph, onChange }: LoadedProps) {
  const { query, route } = useLocation();
  const figure = useRef<HTMLElement>(null);
  const [chosen, select] = useState('');
  const text = words().graph;
  const [centre] = graph.nodes;
  const selected = graph.nodes.find((node) => keyOf(node) === chosen) ?? centre;
  if (!centre || !selected) return null;
  const at = query.at === undefined ? undefined : Date.parse(query.at);
  const zoom = zooms.find((each) => String(each) === query.zoom) ?? 1;
  const save = () => {
    const drawing = figure.current?.querySelector<SVGSVGElement>('.drawing svg');
    if (drawing) saveSvg(drawing, 'graph.svg');
  };
  const counts = kinds.map((kind) => ({
    kind,
    count: graph.nodes.filter((node) => node.kind === kind).length,
  }));
  return (
    <>
      <p class="bar">
        {counts
          .filter(({ count: n }) => n > 0)
          .map((each) => (
            <span key={each.kind} class="hint">
              <Kind kind={each.kind} /> {count(each.count)}
            </span>
          ))}
        <span class="hint">{text.edgesShown(graph.edges.length, graph.hiddenEdges)}</span>
      </p>
      <TimeSlider graph={graph} at={at} onChange={onChange} />
      {query.table ? (
        <GraphTables graph={graph} at={at} />
      ) : (
        <figure class="graph" ref={figure}>
          <Picture
            graph={graph}
            at={at}
            zoom={zoom}
            selected={keyOf(selected)}
            onSelect={select}
            onOpen={(node) => route(addressOfNode(node))}
            onAround={(node) => route(aroundOf(node))}
          />
          <figcaption class="bar">
            <Choice
              name={text.zoom}
              values={zooms.map(String)}
              value={String(zoom)}
              onChoose={(value) => onChange({ zoom: value === '1' ? undefined : value })}
            />
            <button type="button" onClick={save}>
              {text.save}
            </button>
            <span class="hint">{text.how}</span>
          </figcaption>
          <Selected node={selected} isCentre={selected === centre} />
        </figure>
      )}
    </>
  );
}

/** What held at a time: edges that did not are pale. At its end it is now. */
function TimeSlider({ graph, at, onChange }: LoadedProps & { readonly at: number | undefined }) {
  const days = daysOf(graph);
  if (!days) return null;
  const text = words().graph;
  const choose = (event: Event) => {
    const time = Number((event.currentTarget as HTMLInputElement).value);
    onChange({ at: time >= days.last ? undefined : new Date(time).toISOString().slice(0, 10) });
  };
  return (
    <p class="bar">
      <label class="time">
        {text.time}{' '}
        <input
          type="range"
          min={days.first}
          max={days.last}
          step={dayMs}
          value={at ?? days.last}
          aria-valuetext={at === undefined ? text.now : shortDay(new Date(at).toISOString())}
          onInput={choose}
        />
      </label>
      <output>{at === undefined ? text.now : shortDay(new Date(at).toISOString())}</output>
    </p>
  );
}

/** The node that has the focus, or had it last, with all of its name and its links. */
function Selected({ node, isCentre }: { readonly node: GraphNode; readonly isCentre: boolean }) {
  const text = words().graph;
  const { kind, name, type, effectiveState: state, validFrom, validTo, hidden } = node;
  return (
    <div class="selected" data-selected>
      <p>
        <Kind kind={kind} /> <ForeignText text={name} /> {type && <span class="hint">{type}</span>}{' '}
        {state && <i class={`state ${state}`}>{words().state[state] ?? state}</i>}
      </p>
      <p class="hint">
        {validFrom && text.since(moment(validFrom))} {validTo && text.until(moment(validTo))}
      </p>
      <p class="flow">
        {kind === 'memory' && <a href={addressOfNode(node)}>{text.open}</a>}
        {(kind === 'topic' || kind === 'entity') && (
          <a href={addressOf({ q: kind === 'topic' ? `topic:"${name}"` : `entity:${node.id}` })}>
            {text.list}
          </a>
        )}
        {!isCentre && <a href={aroundOf(node)}>{hidden > 0 ? text.aroundHidden(hidden) : text.around}</a>}
        {isCentre && hidden > 0 && <span>{text.hiddenHere(hidden)}</span>}
      </p>
    </div>
  );
}
