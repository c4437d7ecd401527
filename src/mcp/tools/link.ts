import { Type } from 'typebox';
import { relationshipTypes } from '../../domain/relationships/relationship.ts';
import { choiceField, idField } from '../fields.ts';
import { memoryIdOf } from '../memory-reference.ts';
import { budgetField, defineTool, strictObject } from '../tool.ts';

const reasonLengthMax = 1000;

const input = strictObject({
  from: idField('Id of the memory that replaces, follows, resolves, contradicts, refers to or repeats.'),
  to: idField('Id of the other memory.'),
  type: choiceField(
    relationshipTypes,
    'SUPERSEDES, CONTRADICTS and DUPLICATES change the state of `to`, so that searches pass over it.',
  ),
  reason: Type.Optional(Type.String({ maxLength: reasonLengthMax, description: 'Why, in a sentence.' })),
  ...budgetField,
});

const output = Type.Object({
  relationshipId: Type.String(),
  from: Type.String(),
  to: Type.String(),
  type: Type.String(),
  stateOfTo: Type.String({ description: 'State of `to` now.' }),
});

export const linkTool = defineTool({
  name: 'link',
  title: 'Link two memories',
  description:
    'State how two memories belong together: a fix RESOLVES a problem, a new decision SUPERSEDES an old one, two statements CONTRADICT each other. ' +
    'Call it when you see such a pair; to replace a memory with one that you are about to write, `remember` with `supersedes` does both.',
  scope: 'write',
  input,
  output,
  run: async (context, { from: source, to: target, type, reason }) => {
    const { services, user } = context;
    const from = await memoryIdOf(context, source, 'from');
    const to = await memoryIdOf(context, target, 'to');
    const edge = await services.relationships.create(user, from, {
      targetMemoryId: to,
      type,
      confidence: 1,
      reason: reason ?? null,
    });
    const { effectiveState } = await services.memories.get(user, to);
    return { relationshipId: edge.id, from, to, type, stateOfTo: effectiveState };
  },
});
