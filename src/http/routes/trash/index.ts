import type { Route } from '../../route-plugin.ts';
import { eraseTrashEntry } from './erase-trash-entry.ts';
import { listTrash } from './list-trash.ts';
import { restoreTrashEntry } from './restore-trash-entry.ts';

export const trashRoutes: readonly Route[] = [listTrash, restoreTrashEntry, eraseTrashEntry];
