import { type Static, Type } from 'typebox';
import { toIso } from '../../domain/shared/time.ts';
import type { Topic } from '../../domain/topics/topic.ts';
import { component } from './component.ts';
import { sampleIds } from './samples.ts';

/** The topic reference in a body. */
export const topicIdField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `${description}: its id, its name or an alias.` });

export const TopicSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.topic] }),
    name: Type.String(),
    count: Type.Integer({ description: 'The same as memoryCount.' }),
    memoryCount: Type.Integer({ description: 'Memories that carry it.' }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Topic'),
);

export function toTopicRecord(topic: Topic): Static<typeof TopicSchema> {
  return {
    id: topic.id,
    name: topic.name,
    count: topic.memoryCount,
    memoryCount: topic.memoryCount,
    createdAt: toIso(topic.createdAt),
    updatedAt: toIso(topic.updatedAt),
  };
}
