import { Type } from 'typebox';
import { AppError } from '../../domain/shared/errors.ts';
import { toIso } from '../../domain/shared/time.ts';
import { knownName } from '../known-name.ts';
import { budgetField } from '../tool.ts';

export const getUserProfileTool = knownName({
  name: 'get_user_profile',
  title: 'Whose memories these are',
  description: 'The user of the key, what the key may do, and how much is stored. There is no quota.',
  scope: 'read',
  properties: { ...budgetField },
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    createdAt: Type.String(),
    scopes: Type.Array(Type.String(), { description: 'Of the API key.' }),
    memories: Type.Integer(),
    conversations: Type.Integer(),
    topics: Type.Integer(),
  }),
  run: async ({ services, user, scopes }) => {
    const found = await services.users.find(user.id);
    if (!found) throw new AppError('AUTHENTICATION_REQUIRED', 'The user of this key was removed.');
    const { memories, conversations, topics } = services.stores.forUser(user);
    return {
      id: found.publicId,
      name: found.name,
      email: found.email,
      createdAt: toIso(found.createdAt),
      scopes: [...scopes],
      memories: await memories.count(),
      conversations: await conversations.count(),
      topics: await topics.count(),
    };
  },
});
