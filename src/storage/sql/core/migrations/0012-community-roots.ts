import type { ColumnTypes } from './column-types.ts';

/**
 * The tables of communities for the first detection; the former ones were never
 * written to. No text: the name of a community is made from its topics at each read.
 */
export const communityRoots = ({ text, integer, real, user }: ColumnTypes): string[] => [
  'DROP TABLE community_topics',
  'DROP TABLE communities',
  `CREATE TABLE communities (
    user_id ${user},
    id ${text} NOT NULL,
    algorithm ${text} NOT NULL,
    merged_into ${text},
    root_id ${text} NOT NULL,
    is_current ${integer} NOT NULL,
    size ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX communities_by_root ON communities (user_id, root_id)',
  `CREATE TABLE community_topics (
    user_id ${user},
    community_id ${text} NOT NULL,
    topic_id ${text} NOT NULL,
    strength ${real} NOT NULL,
    PRIMARY KEY (user_id, community_id, topic_id),
    FOREIGN KEY (user_id, community_id) REFERENCES communities (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX community_topics_by_topic ON community_topics (user_id, topic_id)',
];
