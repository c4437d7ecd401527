import { Type } from 'typebox';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';

const note =
  'This version derives no patterns of behaviour. How things are done is in procedural memories: call `search` with memoryType procedural, and `remember` with it.';

export const patternsTool = knownName({
  name: 'patterns',
  title: 'Patterns (not derived)',
  description: note,
  scope: 'read',
  properties: { ...budgetField },
  output: Type.Object({ isAvailable: Type.Boolean(), note: Type.String() }),
  run: async () => ({ isAvailable: false, note }),
});
