/** Separate from the implementations, which only the graph thread loads. */
export const communityAlgorithms = ['louvain', 'label-propagation'] as const;
export type CommunityAlgorithm = (typeof communityAlgorithms)[number];
