import { type Static, Type } from 'typebox';
import { type EpochMs, toIso } from '../../domain/shared/time.ts';
import { type TrashEntry, trashKinds } from '../../domain/trash/trash.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';

export const TrashCountsSchema = Type.Record(Type.String(), Type.Integer(), {
  description: 'Records by kind, such as `memories`.',
});

export const TrashEntrySchema = Type.Object(
  {
    id: Type.String({ description: 'Of the entry; restore and erase take it.' }),
    kind: oneOf(trashKinds, component('TrashKind')),
    recordId: Type.String({ description: 'Of the deleted record, which has it again once it is restored.' }),
    title: Type.String({ description: 'Its title, or the beginning of its text.' }),
    deletedAt: Type.String(),
    expiresAt: Type.String({ description: 'After this it is erased for good.' }),
    counts: TrashCountsSchema,
  },
  component('TrashEntry'),
);

export function toTrashRecord(entry: TrashEntry, expiresAt: EpochMs): Static<typeof TrashEntrySchema> {
  return {
    id: entry.id,
    kind: entry.kind,
    recordId: entry.recordId,
    title: entry.title,
    deletedAt: toIso(entry.deletedAt),
    expiresAt: toIso(expiresAt),
    counts: { ...entry.counts },
  };
}
