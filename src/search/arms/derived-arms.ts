import type { IndexView } from '../../search-index/rows/index-view.ts';
import { namesInQuery } from '../query/words/names-in-query.ts';
import { inverseDocumentFrequency } from '../scores/bm25.ts';
import type { Arm, ArmContext } from './arm.ts';
import type { Evidence, FoundSignal, Scale, SignalSpec } from './signal.ts';

const entity: SignalSpec = {
  name: 'entity',
  group: 'entity',
  via: 'entity',
  lacks: 'It mentions no entity that the query names.',
  parts: { self: 'an entity that the query names' },
};

/** Maximum entities of a query. */
const entitiesMax = 16;
/** Newest memories looked up for each entity or topic. */
const memoriesMax = 5000;

/** Finds memories that mention an entity of the query, under any of its names; a rare entity counts more. */
export const entityArm: Arm = {
  name: 'entity',
  signals: [entity],
  isAsked: ({ factors }) => factors.entity !== undefined,
  run: findEntities,
};

async function findEntities({ plan, reader, view }: ArmContext): Promise<FoundSignal[]> {
  const { entityKeys } = namesInQuery(plan.query);
  if (entityKeys.length === 0) return [];
  const found: NamedRows[] = [];
  for (const { id, name, type } of await reader.derived.entitiesNamed(entityKeys, entitiesMax)) {
    const rows = visibleRows(view, await reader.derived.docsOfEntity(id, memoriesMax));
    found.push({ label: `${name} (${type})`, rows, weight: rarity(view, rows.length) });
  }
  return found.length === 0 ? [] : [derivedSignal(entity, view, found, 'Mentions')];
}

const topic: SignalSpec = {
  name: 'topic',
  group: 'topic',
  via: 'topic',
  lacks: 'It has no topic that the query names.',
  parts: { self: 'a topic that the query names' },
};

/** Maximum topics of a query. */
const topicsMax = 16;

/** Finds memories with a topic of the query, given by a client or derived, under any of its names. */
export const topicArm: Arm = {
  name: 'topic',
  signals: [topic],
  isAsked: ({ factors }) => factors.topic !== undefined,
  run: findTopics,
};

async function findTopics({ plan, reader, view }: ArmContext): Promise<FoundSignal[]> {
  const { topicKeys } = namesInQuery(plan.query);
  if (topicKeys.length === 0) return [];
  const found: NamedRows[] = [];
  for (const { id, name, names } of await reader.derived.topicsNamed(topicKeys, topicsMax)) {
    const derived = visibleRows(view, await reader.derived.docsOfTopic(id, memoriesMax));
    const rows = [...new Set([...rowsWithTopic(view, names), ...derived])];
    found.push({ label: name, rows, weight: rarity(view, rows.length) });
  }
  return found.length === 0 ? [] : [derivedSignal(topic, view, found, 'Is about')];
}

/** Visible rows to which a client gave a topic of one of these normalised names. */
function rowsWithTopic(view: IndexView, names: readonly string[]): number[] {
  const { index, size } = view;
  const numbers = new Set(names.map((name) => index.topicKeys.find(name)).filter((number) => number >= 0));
  const rows: number[] = [];
  if (numbers.size === 0) return rows;
  for (let row = 0; row < size; row++)
    if (index.topics.hasAny(row, numbers) && view.isVisible(row)) rows.push(row);
  return rows;
}

/** A name in the query, and the memories that have it. */
interface NamedRows {
  /** For an explanation. */
  readonly label: string;
  /** Visible, each once. */
  readonly rows: readonly number[];
  /** 0 to 1. */
  readonly weight: number;
}

/** No scaling: weights are relative to the rarest name, independent of the other results. */
const unscaled: Scale = { perWeight: 1, perScore: 1, best: 1, unit: 1 };

/** Rarity of a name by the number of its memories: 1 for one memory, about 0 for all. */
function rarity({ index }: IndexView, count: number): number {
  const documents = Math.max(index.documents, count);
  return inverseDocumentFrequency(documents, count) / inverseDocumentFrequency(documents, 1);
}

/** Visible rows of these docs, each once. */
function visibleRows(view: IndexView, docs: Iterable<number>): number[] {
  const rows = new Set<number>();
  for (const doc of docs) {
    const row = view.index.rowOf(doc);
    if (row >= 0 && view.isVisible(row)) rows.add(row);
  }
  return [...rows];
}

/** Signal of memories scored by the sum of the weights of their names in the query. */
function derivedSignal(
  spec: SignalSpec,
  { size, arrays }: IndexView,
  named: readonly NamedRows[],
  verb: string,
): FoundSignal {
  const scores = arrays.numbers(size + 1);
  const labels = new Map<number, string[]>();
  for (const { label, rows, weight } of named)
    for (const row of rows) {
      scores[row] += weight;
      const others = labels.get(row);
      if (others) others.push(label);
      else labels.set(row, [label]);
    }
  return {
    spec,
    rows: [...labels.keys()],
    scores,
    scale: () => unscaled,
    measureOf: (row) => (scores[row] > 0 ? scores[row] : null),
    explain: (page) => page.map((row) => evidenceOf(labels.get(row), spec, verb)),
  };
}

function evidenceOf(
  labels: readonly string[] | undefined,
  { name }: SignalSpec,
  verb: string,
): Evidence | undefined {
  if (!labels) return undefined;
  const listed = labels.join(', ');
  return {
    rank: null,
    reasonRank: 4,
    describe: () => ({ reason: `${verb} ${listed}.`, notes: [`${name}: ${listed}`] }),
  };
}
