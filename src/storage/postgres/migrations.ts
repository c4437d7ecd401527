import type { Migration } from '../sql/migrate.ts';
import { initialTables } from '../sql/migrations/0001-initial.ts';
import { automaticTitles } from '../sql/migrations/0002-automatic-titles.ts';
import { edgeOrder } from '../sql/migrations/0003-edge-order.ts';
import { factHistory } from '../sql/migrations/0004-fact-history.ts';
import { responseEtags } from '../sql/migrations/0005-response-etags.ts';
import { conversationMoves } from '../sql/migrations/0006-moves.ts';
import { metadata } from '../sql/migrations/0007-metadata.ts';
import { externalIds } from '../sql/migrations/0008-external-ids.ts';
import type { ColumnTypes } from '../sql/migrations/column-types.ts';
import { keywordStatements } from './keyword-index.ts';

/** `COLLATE "C"` orders text by code point, as SQLite does. */
const types: ColumnTypes = {
  text: 'TEXT COLLATE "C"',
  integer: 'BIGINT',
  real: 'DOUBLE PRECISION',
  bytes: 'BYTEA',
  rowId: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  user: 'BIGINT NOT NULL',
  clustered: '',
};

export const postgresMigrations: readonly Migration[] = [
  { id: 1, name: 'initial', statements: [...initialTables(types), ...keywordStatements] },
  { id: 2, name: 'automatic titles', statements: automaticTitles(types) },
  { id: 3, name: 'edge order', statements: edgeOrder(types) },
  { id: 4, name: 'fact history', statements: factHistory(types) },
  { id: 5, name: 'response etags', statements: responseEtags(types) },
  { id: 6, name: 'conversation moves', statements: conversationMoves(types) },
  { id: 7, name: 'metadata', statements: metadata(types) },
  { id: 8, name: 'external ids', statements: externalIds(types) },
];
