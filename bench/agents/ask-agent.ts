import { loadTokenCounter } from '../../src/briefing/text/tokens.ts';
import { estimateTokens } from '../../src/lib/tokens.ts';
import { newAppFixture } from '../../test/support/app-fixture.ts';
import { awaitSteps } from '../../test/support/await-steps.ts';
import type { Client } from '../../test/support/http-client.ts';
import { connectMcp, textOf } from '../../test/support/mcp-client.ts';
import type { Engine } from '../../test/support/server.ts';
import { embedderSettings } from '../report/embedder-settings.ts';
import type { AgentQuestion, AgentSet } from './agent-set.ts';

interface Hit {
  readonly id: string;
  readonly content: string;
  readonly newer?: string;
}

export interface AskedQuestion extends AgentQuestion {
  /** Ids of the set, best first. */
  readonly found: readonly string[];
  /** Those marked with the memory that replaces them. */
  readonly marked: readonly string[];
  /** Tokens of the answer by o200k, and by the estimate of the service. */
  readonly tokens: number;
  readonly estimated: number;
  readonly text: string;
}

type Work<T> = (user: Client, ids: ReadonlyMap<string, string>) => Promise<T>;

/**
 * Stores the memories by the MCP tool `remember`, one session a day and each at its own time, waits for
 * derivation after each day, and works on them at the time of the questions.
 * @param work gets the id of the set by the first eight characters of that of the memory
 */
export async function withStored<T>(
  set: AgentSet,
  { engine, embedder }: { readonly engine: Engine; readonly embedder: string },
  work: Work<T>,
): Promise<T> {
  let now = 0;
  const app = await newAppFixture(engine, embedderSettings(embedder), { clock: { now: () => now } });
  try {
    app.startUpkeep();
    const user = await app.newClient();
    const ids = new Map<string, string>();
    for (const day of new Set(set.memories.map(({ at }) => dayOf(at)))) {
      const agent = await connectMcp(user);
      for (const { id, at, text: content, topics, outcome } of set.memories) {
        if (dayOf(at) !== day) continue;
        now = Date.parse(at);
        const made = await agent.call<Hit>('remember', { content, topics, ...(outcome && { outcome }) });
        ids.set(made.id.slice(0, 8), id);
      }
      await agent.close();
      await awaitSteps(user, 50);
    }
    now = Date.parse(set.askedAt);
    return await work(user, ids);
  } finally {
    await app.close();
  }
}

const dayOf = (at: string) => at.slice(0, 10);

/** Asks all questions by `search` as it comes. */
export async function ask(
  user: Client,
  questions: readonly AgentQuestion[],
  ids: ReadonlyMap<string, string>,
): Promise<readonly AskedQuestion[]> {
  const agent = await connectMcp(user);
  const count = await loadTokenCounter();
  const asked: AskedQuestion[] = [];
  const idOf = ({ id }: Hit) => ids.get(id.slice(0, 8)) ?? id;
  for (const question of questions) {
    const text = textOf(await agent.result('search', { query: question.ask }));
    const { results } = JSON.parse(text) as { results: Hit[] };
    asked.push({
      ...question,
      found: results.map(idOf),
      marked: results.filter(({ newer }) => newer !== undefined).map(idOf),
      tokens: count(text),
      estimated: estimateTokens(text),
      text,
    });
  }
  await agent.close();
  return asked;
}
