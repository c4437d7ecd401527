/**
 * Processor time that the network adds to a hybrid search, measured in process: one user with all the
 * talks, each question once with texts that are not cached yet and once with cached texts.
 * Usage: npm run bench rerank
 */
import type { Conversation } from './locomo/data-set.ts';
import { type InProcess, openInProcess, type PreparedQuestion } from './locomo/rank-in-process.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { readTalkSet } from './talks/talk-set.ts';

const rounds = 5;

/** All talks as one user, with every fourth question. */
function asOne(talks: readonly Conversation[]): Conversation {
  const sessions = talks.flatMap(({ id, sessions }) =>
    sessions.map((session) => ({
      ...session,
      turns: session.turns.map((turn) => ({ ...turn, id: `${id} ${turn.id}` })),
    })),
  );
  const numbered = sessions.map((session, i) => ({ ...session, number: i + 1 }));
  const questions = talks.flatMap((talk) => talk.questions).filter((_, i) => i % 4 === 0);
  return { id: 'all', speakers: [], sessions: numbered, questions };
}

/** Microseconds of processor time for each question. */
async function timed(
  questions: readonly PreparedQuestion[],
  run: (question: PreparedQuestion) => unknown,
): Promise<number> {
  const before = process.cpuUsage();
  for (const question of questions) await run(question);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / questions.length;
}

async function measure(store: InProcess): Promise<string[][]> {
  const all = asOne(readTalkSet().conversations);
  const { questions } = await store.prepare(all, 'hybrid');
  const cold = await timed(questions, store.rank);
  const sums: number[] = [];
  const networks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    sums.push(await timed(questions, store.sum));
    networks.push(await timed(questions, store.rank));
  }
  const least = (of: readonly number[]) => Math.min(...of);
  const row = (what: string, microseconds: number) => [what, microseconds.toFixed(0)];
  return [
    row('the weighted sum alone', least(sums)),
    row('with the network, texts known', least(networks)),
    row('with the network, texts read and cut into pieces', cold),
  ];
}

const store = await openInProcess();
try {
  console.log(toTable(['of a hybrid search', 'us of processor time'], await measure(store)));
  console.log(describeEnvironment().commit);
} finally {
  await store.close();
}
