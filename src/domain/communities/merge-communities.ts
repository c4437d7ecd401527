import { invalidInput, notFound } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import type { Community } from './community.ts';
import { withoutMerge } from './next-communities.ts';

/**
 * Merges `source` into `target`: its topics appear there, also
 * after later detections, until the merge is undone from the trash.
 * @throws 404; 422 if both ids name the same community
 */
export async function mergeCommunities(
  { tx, at }: Write,
  source: string,
  target: string,
): Promise<Community> {
  const [from, into] = [await tx.communities.find(source), await tx.communities.find(target)];
  if (!from || !into) throw notFound('community');
  if (from.id === into.id)
    throw invalidInput('targetCommunityId', 'must name another community than sourceCommunityId');
  const before = await tx.communities.listStored();
  const after = before.map((community) => {
    if (community.id === from.id) return { ...community, mergedInto: into.id };
    return community.id === into.id ? { ...community, updatedAt: at } : community;
  });
  await tx.communities.replace(before, after);
  // The title has no names of topics: they would outlive the memories that have them.
  const title = `A community of ${from.topicCount} topics merged into one of ${into.topicCount}`;
  const counts = { communities: 1, topics: from.topicCount };
  await tx.trash.insert({ kind: 'community-merge', recordId: from.id, title, counts }, at);
  const merged = await tx.communities.find(into.id);
  if (!merged) throw notFound('community');
  return merged;
}

/** Merges of communities in the trash: restoring one undoes the merge. */
export const communityMergeTrash: TrashHandler = {
  restore: async ({ tx }, { recordId, counts }) => {
    const before = await tx.communities.listStored();
    await tx.communities.replace(before, withoutMerge(before, recordId));
    return counts;
  },
  // A merge contains nothing of deleted memories.
  eraseStep: async () => false,
};
