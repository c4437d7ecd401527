import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { client } from '../support/http-client.ts';
import { pagePaths, proseOf, readPage } from '../support/pages.ts';
import { type Server, startServer } from '../support/server.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

const rules = parse(readPage('deploy/prometheus/alerts.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
) as Rule[];
const dashboard: Dashboard = JSON.parse(readPage('deploy/grafana/memoryd.json'));
const panelQueries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const queries = [
  ...rules.map(({ expr }) => expr),
  ...panelQueries,
  ...dashboard.templating.list.map(({ query }) => query),
];

const metricsIn = (text: string) =>
  [...text.matchAll(/\bmemoryd_[a-z0-9_]*[a-z0-9]\b/g)].map(([name]) => name);

/** `name="value"` and `name=~"value"` of each metric in a query. */
function selectorsIn(query: string): { metric: string; label: string; value: string }[] {
  return [...query.matchAll(/(memoryd_[a-z0-9_]+)\{([^}]*)\}/g)].flatMap(([, metric, selector]) =>
    [...selector.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label, value]) => ({ metric, label, value })),
  );
}

/** What Prometheus adds to each metric when it reads it. */
const labelsOfScrape = ['job', 'instance'];
/** Statuses come with what happens; `5..` stands for any of them. */
const eventual = new Set(['5..', '503']);

let embedder: EmbeddingServer;
let database: TestDatabase;
let server: Server;
/** What a service that did a little of everything answers. */
let exposed: string;

beforeAll(async () => {
  embedder = await startEmbeddingServer({ dimension: 64 });
  database = await newDatabase('sqlite');
  server = await startServer({
    databaseUrl: database.url,
    env: {
      MEMORYD_EMBEDDER: 'openai',
      MEMORYD_EMBEDDER_URL: embedder.url,
      MEMORYD_EMBEDDER_MODEL: 'stand-in',
      MEMORYD_EMBEDDER_DIMENSIONS: '64',
      // Nothing listens there: the metrics of a language model are those of one that is away.
      MEMORYD_LLM: 'openai',
      MEMORYD_LLM_URL: 'http://127.0.0.1:9/v1',
      MEMORYD_LLM_MODEL: 'none',
    },
  });
  const http = client(server.url, server.key);
  await http.post('/api/memories', { content: 'Ana prefers the window seat' });
  await http.get('/api/memories/search?q=seat');
  await http.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'topics' } });
  exposed = await (await fetch(`${server.url}/metrics`)).text();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await database.drop();
  await embedder.close();
});

const names = () => new Set([...exposed.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
const baseOf = (metric: string) => metric.replace(/_(bucket|sum|count)$/, '');
const isExposed = (metric: string) => names().has(metric) || names().has(baseOf(metric));

/** The values that a label of a metric has. */
function valuesOf(metric: string, label: string): Set<string> {
  const lines = exposed.matchAll(new RegExp(`^${metric}\\{(.*)\\} `, 'gm'));
  return new Set(
    [...lines].flatMap(([, labels]) => new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(labels)?.[1] ?? []),
  );
}

describe('alert rules and the dashboard', () => {
  it('alert rules and the dashboard name only metrics that the service exposes', () => {
    expect(queries.flatMap(metricsIn).length).toBeGreaterThan(30);
    expect(queries.flatMap(metricsIn).filter((metric) => !isExposed(metric))).toEqual([]);
  });

  it('alert rules and the dashboard select by labels and values that those metrics have', () => {
    const chosen = queries.flatMap(selectorsIn).filter(({ label }) => !labelsOfScrape.includes(label));
    expect(chosen.length).toBeGreaterThan(5);
    const unknown = chosen.filter(
      ({ metric, label, value }) => !eventual.has(value) && !valuesOf(metric, label).has(value),
    );
    expect(unknown).toEqual([]);
  });

  it('alert rules and the dashboard close every bracket and quotation mark of their queries', () => {
    const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
    for (const query of queries) {
      const open: string[] = [];
      for (const character of query.replace(/"[^"]*"/g, '')) {
        if ('([{'.includes(character)) open.push(character);
        if (character in pairs) expect(open.pop(), query).toBe(pairs[character]);
      }
      expect(open, query).toEqual([]);
      expect((query.match(/"/g) ?? []).length % 2, query).toBe(0);
    }
  });

  it('alert rules and the dashboard say how urgent each alert is, and the guide says what to do about it', () => {
    const guide = readPage('docs/deploy.md');
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary, alert).not.toBe('');
      expect(guide).toContain(`\`${alert}\``);
    }
  });

  it('alert rules and the dashboard have a query in each panel, and each panel has a name of its own', () => {
    const titles = dashboard.panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(dashboard.panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
  });
});

it('every metric that a page names is one that the service exposes', () => {
  const pages = pagePaths().filter((path) => path.startsWith('docs/') && !path.startsWith('docs/adr/'));
  const named = pages.flatMap((path) =>
    metricsIn(proseOf(readPage(path))).map((metric) => ({ path, metric })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ metric }) => !isExposed(metric))).toEqual([]);
});
