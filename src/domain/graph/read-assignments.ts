import { throttled } from '../../lib/throttle.ts';
import type { GraphReader, TopicsOfMemory } from './graph-store.ts';
import type { TopicAssignments } from './topic-graph.ts';

export interface NamedAssignments {
  /** Topic ids, by their numbers in the assignments. */
  readonly topicIds: readonly string[];
  readonly assignments: TopicAssignments;
  /** False if older memories were left out. */
  readonly isWhole: boolean;
}

/** Each batch takes about one ms to read, then pauses as long so that requests run in between. */
const memoriesAtOnce = 100;
const topicsAtOnce = 500;
const assignmentsMax = 1_000_000;

/** The topics of a user's memories: at most `rowsMax` rows, newest memories first. */
export async function readAssignments(
  graph: GraphReader,
  rowsMax = assignmentsMax,
): Promise<NamedAssignments> {
  const numbers = await numberTopics(graph);
  const pages: Page[] = [];
  let memories = 0;
  let rows = 0;
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  while (before !== undefined && rows < rowsMax) {
    const from: number = before;
    const page = await throttled(async () => {
      const read = await graph.topicsOfMemories(from, memoriesAtOnce);
      pages.push(toPage(read.memories, memories, numbers));
      return read;
    });
    memories += page.memories.length;
    rows += pages.at(-1)?.topics.length ?? 0;
    before = page.before;
  }
  const topicIds = [...numbers.keys()];
  const assignments = { topicCount: topicIds.length, ...joined(pages, rows) };
  return { topicIds, assignments, isWhole: before === undefined };
}

/**
 * Numbers topics in the order of their names: ids are random, and one more memory does not change this order.
 */
async function numberTopics(graph: GraphReader): Promise<Map<string, number>> {
  const topics: { readonly id: string; readonly name: string }[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    const some = await throttled(() => graph.topicsAfter(from, topicsAtOnce));
    topics.push(...some);
    after = some.length < topicsAtOnce ? undefined : some.at(-1)?.id;
  }
  topics.sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(topics.map(({ id }, number) => [id, number]));
}

type Page = Pick<TopicAssignments, 'topics' | 'memories'>;

/** Topics that are new since the numbering get the next numbers. */
function toPage(read: readonly TopicsOfMemory[], before: number, numbers: Map<string, number>): Page {
  const rows = read.flatMap(({ topics }, i) => topics.map((id) => ({ id, memory: before + i })));
  const numberOf = (id: string) => {
    const known = numbers.get(id) ?? numbers.size;
    numbers.set(id, known);
    return known;
  };
  return {
    topics: Uint32Array.from(rows, ({ id }) => numberOf(id)),
    memories: Uint32Array.from(rows, ({ memory }) => memory),
  };
}

function joined(pages: readonly Page[], rows: number): Page {
  const topics = new Uint32Array(rows);
  const memories = new Uint32Array(rows);
  let row = 0;
  for (const page of pages) {
    topics.set(page.topics, row);
    memories.set(page.memories, row);
    row += page.topics.length;
  }
  return { topics, memories };
}
