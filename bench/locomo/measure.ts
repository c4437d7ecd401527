import { awaitSteps } from '../../test/support/await-steps.ts';
import { client } from '../../test/support/http-client.ts';
import { type AskOptions, askQuestions } from './ask-questions.ts';
import type { DataSet } from './data-set.ts';
import { importConversation } from './import-conversation.ts';
import { type RankedQuestion, type Scores, toScores, toScoresByCategory } from './score.ts';
import { sharesNoWord } from './words-shared.ts';

export interface Measured {
  /** Scores by category, of `all`, and of questions that share no word with their evidence. */
  scores: Record<string, Scores>;
  /** Search methods that the service reported. */
  methods: string[];
  memories: number;
  importSeconds: number;
  /** Seconds from the end of the import until all memories have gone through all steps. */
  stepSeconds: number;
  askSeconds: number;
  /** Questions with results per conversation, in order; weights are fitted to them. */
  questions: Record<string, RankedQuestion[]>;
}

/**
 * Imports each conversation of the set as a user of its own, waits until all
 * steps are done, and asks all questions, the users concurrently.
 *
 * @param keys one key per conversation, each of another user without memories
 * @throws Error if the run proves nothing: nothing is stored, or no evidence is found at all
 */
export async function measure(
  set: DataSet,
  url: string,
  keys: readonly string[],
  options: AskOptions,
): Promise<Measured> {
  const users = set.conversations.map((conversation, index) => {
    const key = keys[index];
    if (!key) throw new Error(`${set.conversations.length} keys are needed, ${keys.length} were given`);
    return { conversation, http: client(url, key) };
  });
  const started = performance.now();
  const stored = await Promise.all(
    users.map(async (user) => ({ ...user, turnIds: await importConversation(user.http, user.conversation) })),
  );
  const imported = performance.now();
  for (const { http } of stored) await awaitSteps(http);
  const done = performance.now();
  const asked = await Promise.all(
    stored.map(async ({ http, conversation, turnIds }) => ({
      id: conversation.id,
      ...(await askQuestions(http, conversation.questions, turnIds, options)),
    })),
  );
  const measured: Measured = {
    scores: { ...toScoresByCategory(asked.flatMap(({ questions }) => questions)), ...wordless(set, asked) },
    methods: [...new Set(asked.flatMap(({ methods }) => methods))],
    memories: stored.reduce((sum, { turnIds }) => sum + turnIds.size, 0),
    importSeconds: (imported - started) / 1000,
    stepSeconds: (done - imported) / 1000,
    askSeconds: (performance.now() - done) / 1000,
    questions: Object.fromEntries(asked.map(({ id, questions }) => [id, questions])),
  };
  assertSolid(measured);
  return measured;
}

function wordless(
  { conversations }: DataSet,
  asked: readonly { questions: RankedQuestion[] }[],
): Record<string, Scores> {
  const questions = conversations.flatMap((conversation, index) => {
    const chosen = sharesNoWord(conversation);
    return (asked[index]?.questions ?? []).filter((_, place) => chosen[place]);
  });
  return questions.length === 0 ? {} : { 'no word shared': toScores(questions) };
}

function assertSolid({ scores, memories }: Measured): void {
  if (memories === 0) throw new Error('hollow: no memory was stored');
  if (!scores.all?.questions) throw new Error('hollow: no question was asked');
  if (scores.all.recall20 === 0) throw new Error('hollow: no evidence was found for any question');
}
