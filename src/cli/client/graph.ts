import type { Command } from 'commander';
import type { Static } from 'typebox';
import type { EntityNodeSchema } from '../../http/routes/entities.ts';
import type { AroundSchema } from '../../http/routes/graph/graph-around.ts';
import { wholeNumber } from '../options.ts';
import { type Column, printList } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { idOfMemory } from './find-memory.ts';
import type { Listed } from './listing.ts';
import { type AskOptions, Service, serviceCommand } from './service.ts';

type Graph = Static<typeof AroundSchema>;

interface GraphOptions extends AskOptions {
  readonly depth: number;
  readonly limit: number;
}

/** A node, with the types of its links. */
type Row = Graph['nodes'][number] & { readonly links: ReadonlySet<string> };

const limitDefault = 50;
const columns: readonly Column<Row>[] = [
  { heading: 'AROUND', valueIn: ({ kind, id }) => `${kind}:${id}`, format: 'yellow' },
  { heading: 'STEPS', valueIn: ({ distance }) => distance, align: 'right' },
  { heading: 'LINKS', valueIn: ({ links }) => [...links].join(', ') },
  { heading: 'HIDDEN', valueIn: ({ hidden }) => (hidden > 0 ? `+${hidden}` : undefined), align: 'right' },
  { heading: 'NAME', valueIn: ({ name }) => name, isFlexible: true },
];

/** `memoryd graph KIND:ID` */
export function graphCommand(): Command {
  return serviceCommand('graph')
    .argument('<kind:id>', 'memory:ID, entity:NAME, topic:NAME or fact:ID; a memory also without its kind')
    .option('--depth <n>', 'steps along links, 1 or 2', wholeNumber(1), 1)
    .option('--limit <n>', 'how many nodes, 300 at most', wholeNumber(1), limitDefault)
    .action(async (reference: string, options: GraphOptions) => {
      const { depth, limit, json } = options;
      const service = new Service(options);
      const around = await centreOf(service, reference);
      const body = await service.get<{ data: Graph }>('/api/graph', { around, depth, limit });
      const items = rowsOf(body.data);
      printList({ columns, items, none: 'There is nothing around it.', json: json && body });
      const hidden = items[0]?.hidden ?? 0;
      if (!json && hidden > 0) note(`${hidden} neighbours are not shown; --limit shows more.`);
    });
}

function rowsOf({ nodes, edges }: Graph): Row[] {
  const rows = new Map(
    nodes.map((node) => [`${node.kind}:${node.id}`, { ...node, links: new Set<string>() }]),
  );
  for (const { from, to, type } of edges) for (const end of [from, to]) rows.get(end)?.links.add(type);
  return [...rows.values()];
}

const entityId = /^[0-9a-f]{8}-/i;

/** `kind:id` of a memory by any reference to it, and of an entity by its name. */
async function centreOf(service: Service, reference: string): Promise<string> {
  const [, kind = 'memory', rest = reference] = /^(memory|entity|topic|fact):(.+)$/.exec(reference) ?? [];
  if (kind === 'memory') return `memory:${await idOfMemory(service, rest)}`;
  if (kind !== 'entity' || entityId.test(rest)) return reference;
  const found = await service.get<Listed<Static<typeof EntityNodeSchema>>>('/api/entities', { query: rest });
  const isNamed = (name: string) => name.toLowerCase() === rest.toLowerCase();
  const entity = found.data.find(({ name, aliases }) => [name, ...aliases].some(isNamed));
  if (!entity) throw new Error(`No entity is called ${rest}.`);
  return `entity:${entity.id}`;
}
