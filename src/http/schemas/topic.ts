import { type Static, Type } from 'typebox';
import { toIso } from '../../domain/shared/time.ts';
import type { Topic } from '../../domain/topics/topic.ts';

export const TopicSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  count: Type.Integer({ description: 'The same as memoryCount.' }),
  memoryCount: Type.Integer({ description: 'Memories that carry it.' }),
  createdAt: Type.String(),
  updatedAt: Type.String(),
});

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
