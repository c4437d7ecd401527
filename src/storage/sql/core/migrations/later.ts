import { type Migration, statements } from '../migrate.ts';
import { automaticTitles } from './0002-automatic-titles.ts';
import { edgeOrder } from './0003-edge-order.ts';
import { factHistory } from './0004-fact-history.ts';
import { responseEtags } from './0005-response-etags.ts';
import { conversationMoves } from './0006-moves.ts';
import { metadata } from './0007-metadata.ts';
import { externalIds } from './0008-external-ids.ts';
import { foldTopicNames } from './0009-topic-case-folding.ts';
import { jobs } from './0010-jobs.ts';
import { derivedGraph } from './0011-derived-graph.ts';
import { communityRoots } from './0012-community-roots.ts';
import { factsBySubject } from './0013-facts-by-subject.ts';
import { coveringIndexes } from './0014-covering-indexes.ts';
import { patterns } from './0015-patterns.ts';
import { proposedEdges } from './0016-proposed-edges.ts';
import { spaceRoles } from './0017-space-roles.ts';
import { namedTimes } from './0018-named-times.ts';
import { indexSegments } from './0019-index-segments.ts';
import { turnsOfUsers } from './0020-turns-of-users.ts';
import { vectorSums } from './0021-vector-sums.ts';
import { keyLimits } from './0022-key-limits.ts';
import type { ColumnTypes } from './column-types.ts';

/** Every step after the first, which differs by engine; a new one is named here for both. */
export const laterMigrations = (types: ColumnTypes): readonly Migration[] => [
  { id: 2, name: 'automatic titles', run: statements(automaticTitles(types)) },
  { id: 3, name: 'edge order', run: statements(edgeOrder(types)) },
  { id: 4, name: 'fact history', run: statements(factHistory(types)) },
  { id: 5, name: 'response etags', run: statements(responseEtags(types)) },
  { id: 6, name: 'conversation moves', run: statements(conversationMoves(types)) },
  { id: 7, name: 'metadata', run: statements(metadata(types)) },
  { id: 8, name: 'external ids', run: statements(externalIds(types)) },
  { id: 9, name: 'topic case folding', run: foldTopicNames },
  { id: 10, name: 'jobs', run: statements(jobs(types)) },
  { id: 11, name: 'derived graph', run: statements(derivedGraph(types)) },
  { id: 12, name: 'community roots', run: statements(communityRoots(types)) },
  { id: 13, name: 'facts by subject', run: statements(factsBySubject()) },
  { id: 14, name: 'covering indexes', run: statements(coveringIndexes()) },
  { id: 15, name: 'patterns', run: statements(patterns(types)) },
  { id: 16, name: 'proposed edges', run: statements(proposedEdges(types)) },
  { id: 17, name: 'space roles', run: statements(spaceRoles(types)) },
  { id: 18, name: 'named times', run: statements(namedTimes(types)) },
  { id: 19, name: 'index segments', run: statements(indexSegments(types)) },
  { id: 20, name: 'turns of users', run: statements(turnsOfUsers(types)) },
  { id: 21, name: 'vector sums', run: statements(vectorSums(types)) },
  { id: 22, name: 'key limits', run: statements(keyLimits(types)) },
];
