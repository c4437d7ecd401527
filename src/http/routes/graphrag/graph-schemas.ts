import { Type } from 'typebox';
import { component } from '../../schemas/component.ts';

export const graphDepthMax = 5;

/** A topic or entity of a memory. */
export const GraphNameSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.Optional(Type.String({ description: 'Of an entity.' })),
  },
  component('GraphName'),
);

/** A node of a trace. */
export const GraphNodeSchema = Type.Object(
  {
    kind: Type.String({ description: 'memory, topic, entity or fact.' }),
    id: Type.String(),
    name: Type.String({ description: 'What it is called now; of a memory, the beginning of its text.' }),
  },
  component('GraphNode'),
);
