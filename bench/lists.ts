import { parseArgs } from 'node:util';
import { plantDerived } from './graph/planted-derived.ts';
import { openPlantedStore, quantile } from './graph/planted-store.ts';

const usage = `npm run bench:lists -- --store FOLDER [--postgres URL] [--memories 100000] [--topics 10000] [--entities 10000] [--facts 60000] [--turns 5]
  Milliseconds of processor time (of this process: for PostgreSQL also by the clock) of a page of 50 of each list: after a write
  of the user, and again when nothing changed. The store stays in FOLDER, which names that of PostgreSQL too.`;
const page = { limit: 50, offset: 0 } as const;

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    postgres: { type: 'string' },
    memories: { type: 'string', default: '100000' },
    topics: { type: 'string', default: '10000' },
    entities: { type: 'string', default: '10000' },
    facts: { type: 'string', default: '60000' },
    turns: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const { store: folder, postgres: url, help } = values;
  if (help || folder === undefined) return console.log(usage);
  const groups = Math.ceil(Number(values.topics) / 100);
  const memories = Number(values.memories);
  const planted = { groups, topics: 100, memories, foreign: 0.15, everywhere: 20 };
  const made = await openPlantedStore(planted, folder, url);
  await made.close();
  const derived = { entities: Number(values.entities), facts: Number(values.facts) };
  await plantDerived(made.url, made.user.id, derived);
  const store = await openPlantedStore(planted, folder, url);
  const { services, user } = store;
  const lists: Readonly<Record<string, () => Promise<unknown>>> = {
    entities: () => services.entities.list(user, page),
    'entities of a type': () => services.entities.list(user, { ...page, type: 'PERSON' }),
    facts: () => services.facts.list(user, { ...page, sortBy: 'createdAt', order: 'desc' }),
    'entities/health': () => services.entities.health(user),
    stats: () => services.entities.derivedTotals(user, {}),
    'topics by memoryCount': () =>
      services.topics.list(user, { ...page, sortBy: 'memoryCount', order: 'desc' }),
  };
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, list] of Object.entries(lists)) {
    const [changed, again]: Cost[][] = [[], []];
    for (let turn = 0; turn < Number(values.turns); turn++) {
      await services.memories.create(
        user,
        { content: `Turn ${turn} of ${name}.` },
        { conversationId: 'NEW' },
      );
      changed.push(await costOf(list));
      again.push(await costOf(list));
    }
    rows[name] = { 'after a write': shown(changed), again: shown(again) };
  }
  await store.close();
  console.table(rows);
}

interface Cost {
  readonly processor: number;
  readonly clock: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / 1000, clock: performance.now() - start };
}

function shown(costs: readonly Cost[]): string {
  const median = (of: (cost: Cost) => number) => quantile(costs.map(of), 0.5).toFixed(1);
  return `${median(({ processor }) => processor)} (clock ${median(({ clock }) => clock)})`;
}

await main();
