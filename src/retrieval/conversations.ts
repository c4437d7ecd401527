import type { Memory } from '../domain/memories/memory.ts';
import type { Page, PageRequest } from '../domain/shared/page.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { keywordArm } from './arms/keyword-arm.ts';
import { type Candidates, candidatesFor, type RetrievalParts } from './candidates.ts';
import { postingsOf } from './index/term-postings.ts';
import { queryTermsMax } from './plan.ts';
import type { AnalyzeQuery } from './ports.ts';
import { conversationScores } from './rank/conversation-score.ts';
import { documentScores } from './rank/document-score.ts';
import { recordsOf } from './records.ts';
import type { MemoryFilter } from './request.ts';
import type { ConversationHit } from './search-port.ts';

const everything: MemoryFilter = { includeSuperseded: true };

export async function conversationTimeline(
  parts: RetrievalParts,
  user: UserRef,
  conversationId: string,
  { limit, offset }: PageRequest,
): Promise<Page<Memory>> {
  const { index, passes } = await candidatesFor(parts, user, everything);
  const conversation = index.conversations.find(conversationId);
  const rows = index.conversationRows.of(conversation).filter(passes);
  const items = await recordsOf(parts, user, index, rows.slice(offset, offset + limit));
  return { items, limit, offset, count: rows.length };
}

export interface ConversationSearchParts extends RetrievalParts {
  readonly analyzeQuery: AnalyzeQuery;
}

/** Conversations by the words of their titles and summaries and of the memories in them, best first. */
export async function searchConversations(
  parts: ConversationSearchParts,
  user: UserRef,
  query: string,
  limit: number,
): Promise<ConversationHit[]> {
  const terms = parts.analyzeQuery(query).slice(0, queryTermsMax);
  if (terms.length === 0) return [];
  const { documents: titles } = await documentScores(parts.readerFor(user), 'conversation', terms);
  const scores = new Map(titles.map(({ id, score }) => [id, score]));
  const candidates = await candidatesFor(parts, user, everything);
  for (const [id, score] of await memoryScores(parts, user, terms, candidates)) {
    scores.set(id, (scores.get(id) ?? 0) + score);
  }
  const best = [...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, limit);
  const found = await parts.stores.forUser(user).conversations.findMany(best.map(([id]) => id));
  const byId = new Map(found.map((conversation) => [conversation.id, conversation]));
  return best.flatMap(([id, score]) => {
    const conversation = byId.get(id);
    return conversation ? [{ conversation, score }] : [];
  });
}

async function memoryScores(
  parts: ConversationSearchParts,
  user: UserRef,
  terms: readonly string[],
  { index, moment, passes }: Candidates,
): Promise<Map<string, number>> {
  const postings = await postingsOf(parts.readerFor(user), index, terms);
  const { terms: matches } = keywordArm(moment, terms, postings, passes);
  const scores = conversationScores(index, matches);
  const found = new Map<string, number>();
  scores.forEach((score, conversation) => {
    if (score > 0) found.set(index.conversations.value(conversation), score);
  });
  return found;
}
