import { Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { MemorySchema } from '../../schemas/memory.ts';

export const RelatedMemorySchema = Type.Object(
  {
    memory: MemorySchema,
    score: Type.Number({ description: '0 to 1.' }),
    relationship: Type.String({ description: 'similar, similar-by-topic, conversation or topic.' }),
    sharedTopics: Type.Optional(Type.Array(Type.String())),
  },
  component('RelatedMemory'),
);
