import type { ConversationReader } from '../../domain/conversations/conversation.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { nearRecords } from '../../search-index/vectors/short-texts.ts';
import { idfOf, words } from '../arms/keyword-arm.ts';
import { semantic } from '../arms/semantic-arm.ts';
import { type FoundSignal, isFound } from '../arms/signal.ts';
import { synonyms } from '../arms/synonym-arm.ts';
import { candidatesFor } from '../candidates.ts';
import { planSearch } from '../query/plan.ts';
import { type SearchRequest, searchDefaults } from '../request.ts';
import { documentScores } from '../scores/bm25.ts';
import {
  type ConversationEvidence,
  conversationMatch,
  isConversationMatch,
} from '../scores/words-and-similarity.ts';
import { type AskedArms, askArms, type SearchDeps } from '../search.ts';
import type { ConversationHits } from '../search-port.ts';

/** Memories of any state and time count, by words and semantic similarity. */
const everything: Omit<SearchRequest, 'query' | 'limit'> = {
  ...searchDefaults,
  filter: { includeSuperseded: true },
  // A memory at any distance counts for its conversation.
  threshold: 0,
  // Conversations have no time of their own that could be preferred.
  readsTimes: false,
  includeExpired: true,
};

/** Conversations by words and semantic similarity of titles, summaries and memories, best first. */
export async function searchConversations(
  deps: SearchDeps,
  user: UserRef,
  query: string,
  limit: number,
): Promise<ConversationHits> {
  const plan = planSearch({ ...everything, query, limit }, deps, deps.clock.now());
  const candidates = await candidatesFor(deps, user, plan.filter, { withVectors: true });
  const reader = deps.readerFor(user);
  const asked = await askArms(deps, user, plan, candidates);
  const evidence = new EvidenceOfConversations();
  evidence.addMemories(asked);
  const titles = await documentScores(reader, 'conversation', plan.terms);
  for (const { id, score } of titles.documents) evidence.addWords(id, score / titles.whole);
  for (const { id, similarity } of await nearRecords(deps.shortTexts, reader, {
    kind: 'conversation',
    query,
  }))
    evidence.addSimilarity(id, similarity);
  const ranked = evidence.ranked();
  const { conversations } = deps.stores.forUser(user);
  const best = await firstOf(conversations, ranked, limit);
  const found = await conversations.findMany(best.map(({ id }) => id));
  const byId = new Map(found.map((conversation) => [conversation.id, conversation]));
  const hits = best.flatMap(({ id, score }) => {
    const conversation = byId.get(id);
    return conversation ? [{ conversation, score }] : [];
  });
  return { hits, total: ranked.length };
}

interface RankedConversation {
  readonly id: string;
  readonly score: number;
}

/** The first `limit`, by score; ties by last activity, then by order of writing, last first. */
async function firstOf(
  conversations: Pick<ConversationReader, 'activityOf'>,
  ranked: readonly RankedConversation[],
  limit: number,
): Promise<RankedConversation[]> {
  const least = ranked[Math.min(limit, ranked.length) - 1]?.score ?? 0;
  const considered = ranked.filter(({ score }) => score >= least);
  const activities = await conversations.activityOf(considered.map(({ id }) => id));
  const activityOf = new Map(activities.map((activity) => [activity.id, activity]));
  return considered
    .flatMap((conversation) => {
      const activity = activityOf.get(conversation.id);
      return activity ? [{ conversation, activity }] : [];
    })
    .sort(
      (a, b) =>
        b.conversation.score - a.conversation.score ||
        b.activity.lastActivityAt - a.activity.lastActivityAt ||
        b.activity.doc - a.activity.doc,
    )
    .slice(0, limit)
    .map(({ conversation }) => conversation);
}

type Gathered = { -readonly [K in keyof ConversationEvidence]: ConversationEvidence[K] };

/** Evidence by the ids of conversations. */
class EvidenceOfConversations {
  readonly #byId = new Map<string, Gathered>();

  addMemories({ candidates: { index, passes }, terms, run }: AskedArms): void {
    const { conversation } = index.columns;
    const idOf = (row: number) => index.conversations.value(conversation[row]);
    const asked = terms.reduce((sum, term) => sum + idfOf(index, term), 0) || 1;
    const byName = new Map(run.signals.filter(isFound).map((signal) => [signal.spec.name, signal]));
    for (const [row, score] of measured(byName.get(words.name)))
      if (passes(row)) this.addWords(idOf(row), score / asked);
    byName
      .get(words.name)
      ?.conversationScores?.()
      .forEach((score, number) => {
        if (score > 0) this.#of(index.conversations.value(number)).words = score / asked;
      });
    for (const [row, score] of measured(byName.get(synonyms.name))) {
      const gathered = this.#of(idOf(row));
      gathered.synonyms = Math.max(gathered.synonyms, score / asked);
    }
    for (const [row, similarity] of measured(byName.get(semantic.name)))
      if (passes(row)) this.addSimilarity(idOf(row), similarity);
  }

  addWords(id: string, share: number): void {
    const gathered = this.#of(id);
    gathered.secondBest = Math.max(gathered.secondBest, Math.min(gathered.best, share));
    gathered.best = Math.max(gathered.best, share);
  }

  addSimilarity(id: string, similarity: number): void {
    const gathered = this.#of(id);
    gathered.similarity = Math.max(gathered.similarity, similarity);
  }

  /** The best first; equal ones in no fixed order. */
  ranked(): RankedConversation[] {
    return [...this.#byId]
      .filter(([, gathered]) => isConversationMatch(gathered))
      .map(([id, gathered]) => ({ id, score: conversationMatch(gathered) }))
      .sort((a, b) => b.score - a.score);
  }

  #of(id: string): Gathered {
    const known = this.#byId.get(id);
    if (known) return known;
    const fresh: Gathered = { words: 0, best: 0, secondBest: 0, synonyms: 0, similarity: 0 };
    this.#byId.set(id, fresh);
    return fresh;
  }
}

/** The rows that a signal found, with their measures. */
function* measured(signal: FoundSignal | undefined): Generator<[row: number, measure: number]> {
  for (const row of Array.from(signal?.rows ?? [])) {
    const measure = signal?.measureOf(row) ?? null;
    if (measure !== null) yield [row, measure];
  }
}
