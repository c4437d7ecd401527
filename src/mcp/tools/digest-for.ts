import { maxSourcesDefault } from '../../briefing/digest/digest.ts';
import { itemsWithin, loadTokenCounter } from '../../briefing/text/tokens.ts';
import type { ToolContext } from '../tool.ts';

/** A digest as agents see it: the response of `recall` with one text. */
export interface DigestForAgent {
  readonly digest: string;
  /** By number in the text, those that it names. */
  readonly sources: readonly { readonly number: number; readonly id: string }[];
  readonly total: number;
}

export interface DigestAsked {
  readonly query: string;
  readonly topics?: readonly string[];
  readonly maxTokens: number;
}

/** Of the budget, for the text; the rest is for the ids of its sources and for what JSON adds to line ends and quotes. */
const textShare = 0.7;
const envelopeTokens = 60;
const queryLengthMax = 2000;

/** A digest with the ids behind its numbers; as JSON at most `maxTokens` tokens of o200k. */
export async function digestFor(
  { services, user }: ToolContext,
  { query, topics, maxTokens }: DigestAsked,
): Promise<DigestForAgent> {
  const countTokens = await loadTokenCounter();
  const room = maxTokens - envelopeTokens;
  const { text, sources, considered } = await services.briefing.digest(user, {
    query: query.slice(0, queryLengthMax),
    format: 'structured',
    maxSources: maxSourcesDefault,
    topics,
    tokenBudget: Math.floor(room * textShare),
    listsIds: false,
  });
  const named = new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  const all = sources.flatMap(({ number, memory }) => (named.has(number) ? [{ number, id: memory.id }] : []));
  const tokensOf = (value: unknown) => countTokens(JSON.stringify(value));
  let digest = text;
  while (digest !== '' && tokensOf(digest) > room) digest = digest.slice(0, Math.floor(digest.length * 0.9));
  const listed = await itemsWithin(all, { max: room - tokensOf(digest), countTokens });
  return { digest: digest.replace(/[\ud800-\udbff]$/, ''), sources: listed, total: considered };
}
