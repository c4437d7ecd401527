import { toIso } from '../shared/time.ts';
import type { RelationshipGrounds } from './connection.ts';
import type { EvidenceTexts } from './evidence-texts.ts';
import type { CreationMethod, Relationship, RelationshipType } from './relationship.ts';
import type { SaidFact } from './shared-derivation-store.ts';

const verbs: Readonly<Record<RelationshipType, string>> = {
  SUPERSEDES: 'supersedes',
  FOLLOWS: 'follows',
  RESOLVES: 'resolves',
  CONTRADICTS: 'contradicts',
  REFERENCES: 'refers to',
  DUPLICATES: 'duplicates',
};
const makers: Readonly<Record<CreationMethod, string>> = {
  manual: 'stated by a person or an agent',
  'auto-semantic': 'found in the texts',
  'auto-temporal': 'by the order of versions',
  'auto-llm': 'proposed by a language model',
};
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** What was found, sentence by sentence, and nothing else. */
export function explainGrounds(found: RelationshipGrounds): string {
  return [
    ...ofEdges(found),
    ...ofPath(found),
    ...ofFacts(found),
    ...listed(
      'Both mention',
      found.entities.map(({ name, type }) => `${name} (${type})`),
    ),
    ...listed('Both have the topics', found.topics),
    ofTime(found),
  ].join(' ');
}

function ofEdges({ memory, type, relationships, candidates, former }: RelationshipGrounds): string[] {
  const sentences = relationships.map(({ edge, evidence }) => {
    const since = `since ${toIso(edge.createdAt)}, ${makers[edge.creationMethod]}, confidence ${edge.confidence.toFixed(2)}`;
    return `${claim(edge, memory.id)} (${since}).${because(edge.reason, evidence)}`;
  });
  const possible = candidates.map(
    ({ candidate, evidence }) =>
      `Not certain: ${claim(candidate, memory.id, false)} (candidate, confidence ${candidate.confidence.toFixed(2)}).` +
      because(candidate.reason, evidence),
  );
  const isAsked = relationships.some(({ edge }) => edge.type === type);
  return [...(isAsked ? [] : [lacking(type, former)]), ...sentences, ...possible];
}

function lacking(type: RelationshipType, former: RelationshipGrounds['former']): string {
  const none = `No ${type} relationship stands between the two memories`;
  if (!former) return `${none}.`;
  const gone = former.isWithdrawn ? 'was not found again in a later text' : 'was deleted';
  return `${none}: the one of ${toIso(former.createdAt)} ${gone}.`;
}

function claim(
  { sourceMemoryId, type }: Pick<Relationship, 'sourceMemoryId' | 'type'>,
  memoryId: string,
  isFirst = true,
): string {
  const [own, other] = isFirst ? ['This memory', 'The other memory'] : ['this memory', 'the other memory'];
  return sourceMemoryId === memoryId
    ? `${own} ${verbs[type]} the other memory`
    : `${other} ${verbs[type]} this memory`;
}

function because(reason: string | null, evidence: EvidenceTexts | undefined): string {
  const words = evidence ? ` The earlier text has "${evidence.earlier}", the later "${evidence.later}".` : '';
  return `${reason ? ` Reason: ${/[.!?]$/.test(reason) ? reason : `${reason}.`}` : ''}${words}`;
}

function ofPath({ path, memory }: RelationshipGrounds): string[] {
  if (!path) return [];
  let at = memory.id;
  const steps = path.map(({ sourceMemoryId, targetMemoryId, type }) => {
    const isOnward = sourceMemoryId === at;
    at = isOnward ? targetMemoryId : sourceMemoryId;
    return isOnward ? `${verbs[type]} ${at}` : `is one that ${at} ${verbs[type]}`;
  });
  return [`Over ${path.length} relationships they are connected: this memory ${steps.join(', which ')}.`];
}

const say = ({ subject, predicate, object }: SaidFact) => `"${subject} ${predicate} ${object}"`;

function ofFacts({ facts, factPairs }: RelationshipGrounds): string[] {
  return [
    ...listed('Both say', facts.map(say)),
    ...factPairs.map(
      ({ own, other }) => `Of ${own.subject}, this memory says ${say(own)} and the other ${say(other)}.`,
    ),
  ];
}

function listed(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} ${names.join(', ')}.`];
}

function ofTime({ laterByMs, isOneConversation }: RelationshipGrounds): string {
  const conversation = isOneConversation ? 'Both are of one conversation' : 'They are of two conversations';
  if (laterByMs === 0) return `${conversation} and have the same time.`;
  return `${conversation}; the other memory is ${spanOf(Math.abs(laterByMs))} ${laterByMs > 0 ? 'later' : 'earlier'}.`;
}

function spanOf(ms: number): string {
  const [size, unit] =
    ms >= dayMs
      ? [dayMs, 'day']
      : ms >= hourMs
        ? [hourMs, 'hour']
        : ms >= minuteMs
          ? [minuteMs, 'minute']
          : [1000, 'second'];
  const count = Math.floor(ms / size);
  if (count === 0) return 'less than a second';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
