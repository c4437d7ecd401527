import { type ColumnTypes, type Migration, statements } from '../migrate.ts';
import { derivedTables } from './0001-derived.ts';
import { recordTables } from './0001-records.ts';

/**
 * The migrations of both engines; a new one is added here.
 * @param keywordIndex statements that create the keyword index of the engine
 * @param inParts the statements that a statement becomes where tables are split
 */
export const migrationsFor = (
  types: ColumnTypes,
  keywordIndex: readonly string[],
  inParts: (statement: string) => readonly string[] = (statement) => [statement],
): readonly Migration[] => [
  {
    id: 1,
    name: 'first release',
    run: statements([...recordTables(types), ...derivedTables(types), ...keywordIndex].flatMap(inParts)),
  },
];
