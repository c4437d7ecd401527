/**
 * Do the passages that a search shows contain the answer? Stores the pages in docs whole and asks the questions of
 * lab/data/passages. With --beam, asks the questions of a file in LoCoMo's layout with long turns: recall@10 and MRR.
 * Usage: npm run bench passages [-- --embedder static|bundled] [--method hybrid|keyword|semantic] [--locked | --more] [--missed] [--beam FILE]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { SearchMethod } from '../bench/locomo/ask-questions.ts';
import { readDataSet } from '../bench/locomo/data-set.ts';
import { measure as measureTurns } from '../bench/locomo/measure.ts';
import { measureEngine } from '../bench/locomo/measure-engine.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { awaitSteps } from '../test/support/await-steps.ts';
import { type Client, client } from '../test/support/http-client.ts';

const docs = new URL('../docs/', import.meta.url);
const questionsIn = (name: string) =>
  readFileSync(new URL(`data/passages/${name}.txt`, import.meta.url), 'utf8');
const shownMax = 5;

interface Question {
  readonly page: string;
  readonly question: string;
  /** Texts that only passages with the answer have: one of the page, and one for each other place that says it. */
  readonly answers: readonly string[];
}

interface Passage {
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
}

interface Hit {
  readonly id: string;
  readonly content: string;
  readonly passage?: Passage;
  readonly secondPassage?: Passage;
}

const { values } = parseArgs({
  options: {
    embedder: { type: 'string', default: 'static' },
    method: { type: 'string', default: 'hybrid' },
    locked: { type: 'boolean', default: false },
    more: { type: 'boolean', default: false },
    beam: { type: 'string' },
    missed: { type: 'boolean', default: false },
  },
});

function toMethod(name: string): SearchMethod {
  if (name === 'keyword' || name === 'semantic' || name === 'hybrid') return name;
  throw new Error(`--method ${name}?`);
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase();
}

/** Even lines are locked; none of `more`, which was written to tune on. */
function readQuestions(): Question[] {
  const lines = questionsIn(values.more ? 'more' : 'questions')
    .trimEnd()
    .split('\n');
  return lines
    .filter((_, i) => values.more || (i % 2 === 1) === values.locked)
    .map((line) => {
      const [texts, ...others] = line.split(' || ');
      const [page, question, answer] = texts.split(' | ');
      return { page, question, answers: [answer, ...others].map(plain) };
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

function shown({ content, passage, secondPassage }: Hit): string {
  const parts = [passage, secondPassage].filter((part) => part !== undefined);
  if (parts.length === 0) return plain(content);
  return parts.map(({ start, end }) => plain(content.slice(start, end))).join(' … ');
}

async function measure(http: Client): Promise<void> {
  const pageOf = await storePages(http);
  const questions = readQuestions();
  const counts = {
    'first result is the page': 0,
    'its passages have the answer': 0,
    'those of five results have': 0,
    'those of the page have': 0,
  };
  let known = 0;
  let characters = 0;
  for (const { page, question, answers } of questions) {
    const [answer] = answers;
    if (!plain(readFileSync(new URL(page, docs), 'utf8')).includes(answer)) {
      console.log(`no longer in ${page}: ${answer}`);
      continue;
    }
    const answersIt = (hit: Hit) => answers.some((text) => shown(hit).includes(text));
    known++;
    const body = { query: question, searchMethod: values.method, limit: shownMax };
    const hits = (await http.post<{ data: Hit[] }>('/api/memories/search', body)).body.data;
    const own = hits.find(({ id }) => pageOf.get(id) === page);
    const isFirst = hits.length > 0 && answersIt(hits[0]);
    characters += hits.length > 0 ? shown(hits[0]).length : 0;
    counts['first result is the page'] += own !== undefined && own === hits[0] ? 1 : 0;
    counts['its passages have the answer'] += isFirst ? 1 : 0;
    counts['those of five results have'] += hits.some(answersIt) ? 1 : 0;
    counts['those of the page have'] += own && answersIt(own) ? 1 : 0;
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
  console.log(`characters shown of the first result: ${Math.round(characters / known)}`);
}

const method = toMethod(values.method);
if (values.beam === undefined) {
  const noTurns = { id: 'docs', speakers: [], sessions: [], questions: [] };
  await measureEngine(
    { source: 'docs', use: '', conversations: [noTurns] },
    'sqlite',
    (url, [key]) => measure(client(url, key)),
    values.embedder,
  );
} else {
  const set = readDataSet(values.beam);
  // Derivation takes half an hour for such texts, and no search of the measure reads what it derives.
  const env = { MEMORYD_DERIVE: 'false' };
  const measured = await measureEngine(
    set,
    'sqlite',
    (url, keys) => measureTurns(set, url, keys, { method }),
    values.embedder,
    env,
  );
  const rows = Object.entries(measured.scores).map(([category, { questions, recall10, mrr }]) => [
    category,
    String(questions),
    recall10.toFixed(3),
    mrr.toFixed(3),
  ]);
  console.log(toTable(['category', 'questions', 'recall@10', 'MRR'], rows));
}
const half = values.more ? 'more' : values.locked ? 'locked half' : 'open half';
console.log(`${method}, ${values.embedder}, ${values.beam ?? half}, ${describeEnvironment().commit}`);
