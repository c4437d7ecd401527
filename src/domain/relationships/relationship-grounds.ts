import type { Memory } from '../memories/memory.ts';
import { toIso } from '../shared/time.ts';
import type { EvidenceTexts, KnownRelationship, RelationshipCandidate } from './found-relationship.ts';
import type { CreationMethod, Relationship, RelationshipType } from './relationship.ts';

/** Different facts of two memories about one subject. */
export interface FactPair {
  readonly own: SaidFact;
  readonly other: SaidFact;
}

/** All that is stored about the relation of two memories. */
export interface RelationshipGrounds {
  readonly memory: Memory;
  readonly other: Memory;
  readonly type: RelationshipType;
  /** Standing ones between the two. */
  readonly relationships: readonly {
    readonly relationship: Relationship;
    readonly evidence: EvidenceTexts | undefined;
  }[];
  readonly candidates: readonly {
    readonly candidate: RelationshipCandidate;
    readonly evidence: EvidenceTexts | undefined;
  }[];
  /** The last removed one of the requested type. */
  readonly former: KnownRelationship | undefined;
  /** Through other memories; undefined if a relationship joins the two directly, or if there is no path. */
  readonly path: readonly Relationship[] | undefined;
  readonly entities: readonly MentionedEntity[];
  readonly facts: readonly SaidFact[];
  readonly factPairs: readonly FactPair[];
  readonly topics: readonly string[];
  readonly isOneConversation: boolean;
  /** Milliseconds by which the other is later; negative if it is earlier. */
  readonly laterByMs: number;
}

interface MentionedEntity {
  /** After merges: the id of the entity that it is part of. */
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

export interface SaidFact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** Visible derivations of one version, at most 200 of each kind. */
export interface VersionDerivation {
  readonly entities: readonly MentionedEntity[];
  readonly facts: readonly SaidFact[];
  /** Names of derived topics, after merges. */
  readonly topics: readonly string[];
}

export interface SharedDerivationReader {
  derivationOf(doc: number): Promise<VersionDerivation>;
}

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

/** The grounds in sentences. */
export function explainGrounds(found: RelationshipGrounds): string {
  return [
    ...between(found),
    ...pathBetween(found),
    ...sharedFacts(found),
    ...listed(
      'Both mention',
      found.entities.map(({ name, type }) => `${name} (${type})`),
    ),
    ...listed('Both have the topics', found.topics),
    distance(found),
  ].join(' ');
}

function between({ memory, type, relationships, candidates, former }: RelationshipGrounds): string[] {
  const sentences = relationships.map(({ relationship, evidence }) => {
    const since = `since ${toIso(relationship.createdAt)}, ${makers[relationship.creationMethod]}, confidence ${relationship.confidence.toFixed(2)}`;
    return `${claim(relationship, memory.id)} (${since}).${because(relationship.reason, evidence)}`;
  });
  const possible = candidates.map(
    ({ candidate, evidence }) =>
      `Not certain: ${claim(candidate, memory.id, false)} (candidate, confidence ${candidate.confidence.toFixed(2)}).` +
      because(candidate.reason, evidence),
  );
  const isAsked = relationships.some(({ relationship }) => relationship.type === type);
  return [...(isAsked ? [] : [lacking(type, former)]), ...sentences, ...possible];
}

function lacking(type: RelationshipType, former: RelationshipGrounds['former']): string {
  const none = `No ${type} relationship stands between the two memories`;
  if (!former) return `${none}.`;
  const gone = former.isWithdrawn ? 'was not found again in a later text' : 'was deleted';
  return `${none}: the one of ${toIso(former.createdAt)} ${gone}.`;
}

function claim(
  { sourceMemoryId, type, evidence }: Pick<Relationship, 'sourceMemoryId' | 'type' | 'evidence'>,
  memoryId: string,
  isFirst = true,
): string {
  const [own, other] = isFirst ? ['This memory', 'The other memory'] : ['this memory', 'the other memory'];
  const verb = type === 'SUPERSEDES' && evidence?.keepsState ? `${verbs[type]} a part of` : verbs[type];
  return sourceMemoryId === memoryId ? `${own} ${verb} the other memory` : `${other} ${verb} this memory`;
}

function because(reason: string | null, evidence: EvidenceTexts | undefined): string {
  const words = evidence ? ` The earlier text has "${evidence.earlier}", the later "${evidence.later}".` : '';
  return `${reason ? ` Reason: ${/[.!?]$/.test(reason) ? reason : `${reason}.`}` : ''}${words}`;
}

function pathBetween({ path, memory }: RelationshipGrounds): string[] {
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

function sharedFacts({ facts, factPairs }: RelationshipGrounds): string[] {
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

function distance({ laterByMs, isOneConversation }: RelationshipGrounds): string {
  const conversation = isOneConversation ? 'Both are of one conversation' : 'They are of two conversations';
  if (laterByMs === 0) return `${conversation} and have the same time.`;
  return `${conversation}; the other memory is ${durationInWords(Math.abs(laterByMs))} ${laterByMs > 0 ? 'later' : 'earlier'}.`;
}

function durationInWords(ms: number): string {
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
