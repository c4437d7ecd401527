/**
 * Does the passage that a search shows contain the answer? Stores the pages in docs whole and asks the questions of
 * lab/data/passages. Usage: npm run bench passages [-- --embedder static|bundled] [--method hybrid|keyword|semantic] [--locked] [--missed]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureEngine } from '../bench/locomo/measure-engine.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { awaitSteps } from '../test/support/await-steps.ts';
import { type Client, client } from '../test/support/http-client.ts';

const docs = new URL('../docs/', import.meta.url);
const questionsFile = new URL('data/passages/questions.txt', import.meta.url);
const shownMax = 5;

interface Question {
  readonly page: string;
  readonly question: string;
  /** Text that only the passage with the answer has. */
  readonly answer: string;
}

interface Hit {
  readonly id: string;
  readonly content: string;
  readonly passage?: { readonly start: number; readonly end: number; readonly headings: readonly string[] };
}

const { values } = parseArgs({
  options: {
    embedder: { type: 'string', default: 'static' },
    method: { type: 'string', default: 'hybrid' },
    locked: { type: 'boolean', default: false },
    missed: { type: 'boolean', default: false },
  },
});

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase();
}

/** Even lines are locked. */
function readQuestions(): Question[] {
  const lines = readFileSync(questionsFile, 'utf8').split('\n').filter(Boolean);
  return lines
    .filter((_, i) => (i % 2 === 1) === values.locked)
    .map((line) => {
      const [page, question, answer] = line.split(' | ');
      return { page, question, answer: plain(answer) };
    });
}

async function storePages(http: Client): Promise<Map<string, string>> {
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const pageOf = new Map<string, string>();
  for (const page of pages) {
    const content = readFileSync(new URL(page, docs), 'utf8');
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', {
      content,
      conversationId: 'NEW',
    });
    pageOf.set(body.data.id, page);
  }
  await awaitSteps(http);
  return pageOf;
}

function shown({ content, passage }: Hit): string {
  return plain(passage ? content.slice(passage.start, passage.end) : content);
}

async function measure(http: Client): Promise<void> {
  const pageOf = await storePages(http);
  const questions = readQuestions();
  const counts = {
    'first result is the page': 0,
    'its passage has the answer': 0,
    'a passage of five has': 0,
    'passage of the page has': 0,
  };
  let known = 0;
  for (const { page, question, answer } of questions) {
    if (!plain(readFileSync(new URL(page, docs), 'utf8')).includes(answer)) {
      console.log(`no longer in ${page}: ${answer}`);
      continue;
    }
    known++;
    const body = { query: question, searchMethod: values.method, limit: shownMax };
    const hits = (await http.post<{ data: Hit[] }>('/api/memories/search', body)).body.data;
    const own = hits.find(({ id }) => pageOf.get(id) === page);
    const isFirst = hits.length > 0 && shown(hits[0]).includes(answer);
    counts['first result is the page'] += own !== undefined && own === hits[0] ? 1 : 0;
    counts['its passage has the answer'] += isFirst ? 1 : 0;
    counts['a passage of five has'] += hits.some((hit) => shown(hit).includes(answer)) ? 1 : 0;
    counts['passage of the page has'] += own && shown(own).includes(answer) ? 1 : 0;
    if (values.missed && !isFirst)
      console.log(
        `${question}\n  ${page}: ${answer}\n  ${hits
          .slice(0, 2)
          .map(
            (hit) =>
              `${pageOf.get(hit.id)} ${hit.passage?.headings.join(' > ')}: ${shown(hit).slice(0, 120)}`,
          )
          .join('\n  ')}`,
      );
  }
  if (known === 0) throw new Error('hollow: no question has its answer in a page');
  const rows = Object.entries(counts).map(([name, count]) => [
    name,
    String(count),
    (count / known).toFixed(2),
  ]);
  console.log(toTable([`${known} questions`, 'count', 'share'], rows));
}

await measureEngine(
  { source: 'docs', use: '', conversations: [{ id: 'docs', speakers: [], sessions: [], questions: [] }] },
  'sqlite',
  (url, [key]) => measure(client(url, key)),
  values.embedder,
);
console.log(
  `${values.method}, ${values.embedder}, ${values.locked ? 'locked' : 'open'} half, ${describeEnvironment().commit}`,
);
