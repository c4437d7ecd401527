import type { Static } from 'typebox';
import { type Import, importLengthMax } from '../../../domain/imports/import.ts';
import type { Redone } from '../../../domain/imports/import-service.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, pageOf } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery, idParams } from '../../schemas/query.ts';

export const ImportSchema = Type.Object(
  {
    id: Type.String(),
    source: Type.String({ description: 'The file or service that the memories come from.' }),
    format: Type.Optional(Type.String()),
    createdAt: Type.String(),
    updatedAt: Type.String({ description: 'When the last memories came.' }),
    undoneAt: Type.Optional(Type.String({ description: 'When it was undone; absent if it is not.' })),
    created: Type.Integer({ description: 'Memories that it stored.' }),
    unchanged: Type.Integer({ description: 'Sent again, and as they were imported before.' }),
    updated: Type.Integer({ description: 'Changed since they were imported before: new versions.' }),
    keptEdits: Type.Integer({ description: 'Changed there and edited here since: left as they are.' }),
    inTrash: Type.Integer({ description: 'Deleted here before, and left in the trash.' }),
    refused: Type.Integer(),
    conversations: Type.Integer({ description: 'Conversations that it stored.' }),
    facts: Type.Integer({ description: 'Facts that it stored.' }),
    artifacts: Type.Integer({ description: 'Artifacts that it stored.' }),
  },
  component('Import'),
);

function toRecord(made: Import): Static<typeof ImportSchema> {
  const { id, source, format, createdAt, updatedAt, undoneAt, ...counts } = made;
  const { created, unchanged, updated, keptEdits, inTrash, refused, conversations, facts, artifacts } =
    counts;
  return {
    id,
    source,
    ...(format !== null && { format }),
    createdAt: toIso(createdAt),
    updatedAt: toIso(updatedAt),
    ...(undoneAt !== null && { undoneAt: toIso(undoneAt) }),
    created,
    unchanged,
    updated,
    keptEdits,
    inTrash,
    refused,
    conversations,
    facts,
    artifacts,
  };
}

const Body = Type.Object(
  {
    source: Type.String({ minLength: 1, maxLength: importLengthMax.source }),
    format: Type.Optional(Type.String({ maxLength: importLengthMax.format })),
  },
  { examples: [{ source: 'notes.jsonl', format: 'jsonl' }] },
);

const beginImport: Route = (app, { imports }) =>
  app.post(
    '/api/imports',
    {
      schema: {
        operationId: 'beginImport',
        tags: ['Memories'],
        summary: 'Begin an import',
        description:
          'Send its id as `importId` with bulk creates: it counts them, and all that it created can be taken back.',
        body: Body,
        response: { 201: dataOf(ImportSchema, 'The import.') },
      },
    },
    async (request, reply) => {
      const toBody = (made: Import) => ({ data: toRecord(made) });
      const act = keyedAct<Import>(request, reply, 201, (made) => ({ body: toBody(made) }));
      return reply.code(201).send(toBody(await imports.begin(request.user, request.body, act)));
    },
  );

const listImports: Route = (app, { imports }) =>
  app.get(
    '/api/imports',
    {
      schema: {
        operationId: 'listImports',
        tags: ['Memories'],
        summary: 'List imports',
        description: 'Newest first, with their counts and times.',
        querystring: Type.Object(cursorQuery),
        response: { 200: pageOf(ImportSchema, 'One page of imports, and the number of all.') },
      },
    },
    async (request) => {
      const page = await imports.list(request.user, toListPage(request));
      return { data: page.items.map(toRecord), pagination: toPagination(page, request) };
    },
  );

export const UndoneSchema = Type.Object(
  {
    memories: Type.Integer({ description: 'Memories moved to the trash now.' }),
    conversations: Type.Integer({ description: 'Conversations that had no others.' }),
    facts: Type.Integer({ description: 'Facts, but those of memories in the trash.' }),
    artifacts: Type.Integer({ description: 'Artifacts, but those of memories in the trash.' }),
    versions: Type.Integer({
      description: 'Memories that it had changed, and that say what they said before.',
    }),
    keptEdits: Type.Integer({
      description: 'Memories that it had changed and that were changed again since: left as they are.',
    }),
  },
  component('UndoneImport'),
);

const undoImport: Route = (app, { imports }) =>
  app.delete(
    '/api/imports/:id',
    {
      schema: {
        operationId: 'undoImport',
        tags: ['Memories'],
        summary: 'Undo an import',
        description:
          'Every memory, fact and artifact that it created goes to the trash, and each conversation that is empty then. They come back one ' +
          'by one, or together by `POST /api/imports/{id}/restore`. Memories that it changed get the text from before ' +
          'in a new version, unless they were changed again; others that it found here are left alone.',
        params: idParams,
        response: { 200: dataOf(UndoneSchema, 'How many went to the trash.') },
      },
    },
    async ({ user, params }) => ({ data: await imports.undo(user, params.id) }),
  );

const toRestored = (data: Redone) => ({ data });

const restoreImport: Route = (app, { imports }) =>
  app.post(
    '/api/imports/:id/restore',
    {
      schema: {
        operationId: 'restoreImport',
        tags: ['Memories'],
        summary: 'Restore an undone import',
        description:
          'What its undo moved to the trash comes back, and memories that it had changed say again what it says; ' +
          'memories deleted before stay in the trash.',
        params: idParams,
        response: {
          200: dataOf(
            Type.Object(
              {
                memories: Type.Integer(),
                facts: Type.Integer(),
                artifacts: Type.Integer(),
                versions: Type.Integer({ description: 'Memories changed again.' }),
              },
              component('RestoredImport'),
            ),
            'How many came back.',
          ),
        },
      },
    },
    async (request, reply) => {
      const act = keyedAct<Redone>(request, reply, 200, (done) => ({ body: toRestored(done) }));
      return toRestored(await imports.redo(request.user, request.params.id, act));
    },
  );

export const importRoutes: readonly Route[] = [beginImport, listImports, undoImport, restoreImport];
