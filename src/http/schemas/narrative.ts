import { type Static, Type } from 'typebox';
import type { EffectiveState, Memory } from '../../domain/memories/memory.ts';
import {
  type Narrative,
  narrativeStates,
  narrativeTitleLengthMax,
} from '../../domain/narratives/narrative.ts';
import type { Page } from '../../domain/shared/page.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { component } from './component.ts';
import { MemorySchema, toMemoryRecord } from './memory.ts';
import { oneOf } from './query.ts';
import { sampleIds } from './samples.ts';

const MoveSchema = Type.Object(
  {
    state: oneOf(narrativeStates, component('NarrativeState')),
    resolutionMemoryId: Type.Optional(Type.String()),
    at: Type.String({ description: 'When it took this state and resolution.' }),
  },
  component('NarrativeMove'),
);

export const NarrativeSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.narrative] }),
    userId: Type.String(),
    title: Type.String(),
    state: oneOf(narrativeStates, component('NarrativeState')),
    rootMemoryId: Type.String({
      description:
        'The first memory; where none is left, the one the thread was begun with; empty where all are erased for good.',
    }),
    currentMemoryId: Type.Optional(Type.String({ description: 'The last memory.' })),
    resolutionMemoryId: Type.Optional(Type.String({ description: 'The memory that resolved the thread.' })),
    topics: Type.Array(Type.String(), {
      description: 'As stated; where none were, the different topics of its memories in their order.',
    }),
    memoryCount: Type.Integer({ description: 'Memories in it, without those in the trash.' }),
    moves: Type.Optional(
      Type.Array(MoveSchema, { description: 'The latest 100, oldest first; left out in lists.' }),
    ),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Narrative'),
);

/** A timeline leaves out this field for duplicates: clients know three values here. */
const threadStates = ['current', 'superseded', 'contradicted'] as const satisfies readonly EffectiveState[];
type ThreadState = (typeof threadStates)[number];

export const NarrativeMemorySchema = Type.Object(
  {
    memory: MemorySchema,
    position: Type.Integer({ description: 'From 0, counting the memories that are not in the trash.' }),
    effectiveState: Type.Optional(
      oneOf(threadStates, { description: 'As in the memory; left out for a duplicate.' }),
    ),
  },
  component('NarrativeMemory'),
);

export function toNarrativeRecord(narrative: Narrative, user: UserRef): Static<typeof NarrativeSchema> {
  const { id, title, state, rootMemoryId, currentMemoryId, resolutionMemoryId, topics } = narrative;
  return {
    id,
    userId: user.publicId,
    title,
    state,
    rootMemoryId,
    currentMemoryId: currentMemoryId ?? undefined,
    resolutionMemoryId: resolutionMemoryId ?? undefined,
    topics: [...topics],
    memoryCount: narrative.memoryCount,
    moves: narrative.moves?.map((move) => ({
      state: move.state,
      resolutionMemoryId: move.resolutionMemoryId ?? undefined,
      at: toIso(move.at),
    })),
    createdAt: toIso(narrative.createdAt),
    updatedAt: toIso(narrative.updatedAt),
  };
}

/** Maximum bytes of a narrative as JSON; a character takes at most six. */
export function narrativeBytesMax({ title, topics }: Pick<Narrative, 'title' | 'topics'>): number {
  return 1000 + 6 * topics.reduce((units, topic) => units + topic.length + 3, title.length);
}

function isThreadState(state: EffectiveState): state is ThreadState {
  return (threadStates as readonly EffectiveState[]).includes(state);
}

export function toNarrativeMemories({ items, offset }: Page<Memory>): Static<typeof NarrativeMemorySchema>[] {
  return items.map((memory, i) => ({
    memory: toMemoryRecord(memory),
    position: offset + i,
    effectiveState: isThreadState(memory.effectiveState) ? memory.effectiveState : undefined,
  }));
}

export const narrativeTitle = Type.String({ minLength: 1, maxLength: narrativeTitleLengthMax });

export const narrativeTopics = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { description }));
