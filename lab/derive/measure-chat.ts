import { existsSync, readFileSync } from 'node:fs';
import type { LanguageModel } from '../../src/language/language-model.ts';
import type { DerivedRelationshipType } from '../../src/language/relationships/finding.ts';
import { automaticEdge, cosineOf, type Embed, type Embedded, embedText } from './measure-edges.ts';

interface Chat {
  readonly conversations: readonly {
    readonly sessions: readonly { readonly turns: readonly { speaker: string; text: string }[] }[];
  }[];
}

interface ChatEdge {
  readonly type: DerivedRelationshipType;
  readonly earlier: string;
  readonly later: string;
  readonly reason: string;
}

export interface ChatResult {
  readonly turns: number;
  readonly pairs: number;
  /**
   * All automatic edges, for a person to judge: in chat that was not written for this, nearly all are false.
   */
  readonly edges: readonly ChatEdge[];
}

const nearestMax = 15;
const cosineMin = 0.45;
const sameSubjectMax = 20;

const keysOf = ({ view }: Embedded) =>
  new Set(view.facts.map(({ subject, head }) => `${subject.text.toLowerCase()}|${head}`));

/** Turns of unlabelled chat by conversation; undefined if the file is missing. */
export function readChat(path: string): string[][] | undefined {
  if (!existsSync(path)) return undefined;
  const { conversations } = JSON.parse(readFileSync(path, 'utf8')) as Chat;
  return conversations.map(({ sessions }) =>
    sessions.flatMap(({ turns }) => turns.map(({ speaker, text }) => `${speaker}: ${text}`)),
  );
}

/** Automatic edges between each turn and the earlier turns with which a service would compare it. */
export function measureChat(
  model: LanguageModel,
  embed: Embed,
  chats: readonly (readonly string[])[],
): ChatResult {
  const edges: ChatEdge[] = [];
  let [turns, pairs] = [0, 0];
  for (const chat of chats) {
    const earlier: { seen: Embedded; keys: ReadonlySet<string> }[] = [];
    for (const text of chat) {
      const seen = embedText(model, embed, text);
      const keys = keysOf(seen);
      turns++;
      for (const other of candidates(earlier, seen, keys)) {
        pairs++;
        const edge = automaticEdge(model, other, seen);
        if (edge) edges.push({ type: edge.type, earlier: other.view.text, later: text, reason: edge.reason });
      }
      earlier.push({ seen, keys });
    }
  }
  return { turns, pairs, edges };
}

/** The nearest earlier turns by vector, and the latest that share subject and verb of a fact. */
function candidates(
  earlier: readonly { seen: Embedded; keys: ReadonlySet<string> }[],
  { vector }: Embedded,
  keys: ReadonlySet<string>,
): Set<Embedded> {
  const near = earlier
    .map(({ seen }) => ({ seen, cosine: cosineOf(seen.vector, vector) }))
    .filter(({ cosine }) => cosine > cosineMin)
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, nearestMax);
  const related = earlier
    .filter((other) => [...keys].some((key) => other.keys.has(key)))
    .slice(-sameSubjectMax);
  return new Set([...near, ...related].map(({ seen }) => seen));
}
