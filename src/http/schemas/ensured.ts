import { type TSchema, Type } from 'typebox';
import { type Ensured, externalIdLengthMax } from '../../domain/shared/external-id.ts';
import { component } from './component.ts';
import { described } from './envelope.ts';
import { etagOfRecord } from './if-match.ts';
import { longText, recordId } from './query.ts';

/** Fields, parameters and responses of creates of records that another system has, too. */
export const externalIdField = (kind: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: externalIdLengthMax,
      description:
        `What another system calls the ${kind}, unique per user. If one has it already, nothing is written and that one ` +
        'is returned unchanged, with status 200 and meta.existing; in the trash: 409.',
    }),
  );

/** A filter of lists. */
export const externalIdQuery = (kind: string) => longText(`The ${kind} that another system calls so.`);

export const ImportQuery = Type.Object({
  importId: Type.Optional(recordId('The import that it belongs to, with which it can be taken back.')),
});

const MetaSchema = Type.Object(
  {
    existing: Type.Optional(
      Type.Boolean({ description: 'True where it was there before; without `updated` it is unchanged.' }),
    ),
    updated: Type.Optional(
      Type.Boolean({ description: 'Of an import: it has changed there, and has the new fields.' }),
    ),
    keptEdit: Type.Optional(
      Type.Boolean({
        description: 'Of an import: it has changed there, but was edited here, and is left alone.',
      }),
    ),
  },
  component('EnsuredMeta'),
);

/** @param made description of the response to a create */
export function ensuredResponses<T extends TSchema>(schema: T, made: string) {
  const response = Type.Object({ data: schema, meta: Type.Optional(MetaSchema) });
  return {
    200: described(response, 'The one that has this `externalId` already.'),
    201: described(response, made),
  };
}

export function toEnsured<R, S extends object>(
  { record, isExisting, again }: Ensured<R>,
  toRecord: (record: R) => S,
) {
  const data = toRecord(record);
  return {
    status: isExisting ? (200 as const) : (201 as const),
    body: { data, ...(isExisting && { meta: { existing: true, ...(again && { [again]: true }) } }) },
    etag: etagOfRecord(data),
  };
}
