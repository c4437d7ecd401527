import type { Client } from '../../test/support/http-client.ts';
import type { Question } from './data-set.ts';
import type { TurnIds } from './import-conversation.ts';
import { type RankedQuestion, resultsMax } from './score.ts';

export type SearchMethod = 'keyword' | 'semantic' | 'hybrid';

export interface AskOptions {
  method: SearchMethod;
  /** The `context` parameter of a search; left out of the request when undefined. */
  context?: boolean;
  /** 0 by default: everything may match. */
  threshold?: number;
}

interface SearchOutcome {
  data: { id: string }[];
  meta: { searchMethod: string; degraded?: boolean };
}

/** Results in the order of the questions, and the search methods that the service reported. */
export interface Asked {
  questions: RankedQuestion[];
  methods: string[];
}

/**
 * Asks every question of one user, one after another.
 *
 * @throws Error if a search is refused or degraded, or finds a memory that is not in `turnIds`
 */
export async function askQuestions(
  http: Client,
  questions: readonly Question[],
  turnIds: TurnIds,
  options: AskOptions,
): Promise<Asked> {
  const methods = new Set<string>();
  const ranked: RankedQuestion[] = [];
  for (const { question, category, evidence } of questions) {
    const answer = await search(http, question, options);
    methods.add(answer.meta.searchMethod);
    const found = answer.data.map(({ id }) => {
      const turn = turnIds.get(id);
      if (turn === undefined) throw new Error(`"${question}" found ${id}, which this user never stored`);
      return turn;
    });
    ranked.push({ category, evidence, found });
  }
  return { questions: ranked, methods: [...methods] };
}

async function search(http: Client, query: string, options: AskOptions): Promise<SearchOutcome> {
  const { method, context, threshold = 0 } = options;
  const plain = { query, searchMethod: method, threshold, limit: resultsMax };
  const body = context === undefined ? plain : { ...plain, context };
  const answer = await http.post<SearchOutcome>('/api/memories/search', body);
  if (answer.status !== 200) throw new Error(`"${query}" answered ${answer.status}: ${answer.text}`);
  if (answer.body.meta.degraded) throw new Error(`"${query}" was degraded: ${answer.text.slice(0, 500)}`);
  return answer.body;
}
