import { type Static, Type } from 'typebox';
import type { Community } from '../../domain/communities/community.ts';
import { communityAlgorithms } from '../../domain/graph/community-algorithm.ts';
import { toIso } from '../../domain/shared/time.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';
import { sampleIds } from './samples.ts';

export const CommunitySchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.community] }),
    name: Type.String({ description: 'Its strongest topics.' }),
    description: Type.String(),
    topicCount: Type.Integer({ minimum: 0 }),
    algorithm: oneOf(communityAlgorithms, { description: 'What found it.' }),
    createdAt: Type.String(),
    updatedAt: Type.String({ description: 'When its topics changed.' }),
  },
  component('Community'),
);

export function toCommunityRecord(community: Community): Static<typeof CommunitySchema> {
  const { createdAt, updatedAt, ...fields } = community;
  return { ...fields, createdAt: toIso(createdAt), updatedAt: toIso(updatedAt) };
}
