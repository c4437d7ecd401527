import type { IndexView } from '../../search-index/rows/index-view.ts';
import { namesInQuery } from '../query/words/names-in-query.ts';
import type { Arm, ArmContext } from './arm.ts';
import { derivedSignal, type NamedRows, rarity, visibleRows } from './derived-signal.ts';
import type { FoundSignal, SignalSpec } from './signal.ts';

const topic: SignalSpec = {
  name: 'topic',
  group: 'topic',
  via: 'topic',
  parts: { self: 'a topic that the query names' },
};

/** Maximum topics of a query, and newest memories from which each was derived that are looked up. */
const topicsMax = 16;
const memoriesMax = 5000;

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
