import type {
  Artifact,
  ArtifactListQuery,
  ArtifactReader,
  ArtifactWriter,
} from '../../../domain/artifacts/artifact.ts';
import type { Imported } from '../../../domain/shared/external-id.ts';
import type { Page } from '../../../domain/shared/page.ts';
import { inPlaces } from '../../../domain/shared/page-bytes.ts';
import { nextRev } from '../core/change-counter.ts';
import { related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { type Columns, RecordColumns, type RowOf } from '../core/record-columns.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

const columns = {
  id: 'artifacts.id',
  content: 'artifacts.content',
  type: 'artifacts.type',
  name: 'artifacts.name',
  description: 'artifacts.description',
  memoryId: 'artifacts.memory_id',
  conversationId: 'artifacts.conversation_id',
  metadata: { json: 'artifacts.metadata' },
  createdAt: 'artifacts.created_at',
  updatedAt: 'artifacts.updated_at',
  externalId: 'artifacts.external_id',
} as const satisfies Columns<Artifact>;
const artifactRecord = new RecordColumns<Artifact, typeof columns>(columns);
type ArtifactRow = RowOf<typeof columns>;

/** Artifacts that are not in the trash, nor is the record that they belong to. */
export const visibleArtifacts = (tables: UserTables) =>
  tables
    .selectFrom('artifacts')
    .where('artifacts.trashed_at', 'is', null)
    .where((eb) => {
      const memory = related(eb, 'memories', 'artifacts.memory_id')
        .select('memories.id')
        .where(tables.liveMemory());
      return eb.or([eb('artifacts.memory_id', 'is', null), eb.exists(memory)]);
    })
    .where((eb) => {
      const conversation = related(eb, 'conversations', 'artifacts.conversation_id')
        .select('conversations.id')
        .where('conversations.trashed_at', 'is', null);
      return eb.or([eb('artifacts.conversation_id', 'is', null), eb.exists(conversation)]);
    });

const byId = new UserQuery<{ id: string }, ArtifactRow>((tables, { id }) =>
  visibleArtifacts(tables).select(artifactRecord.selection).where('artifacts.id', '=', id),
);

const byIds = listQuery<string, ArtifactRow>((tables, ids) =>
  visibleArtifacts(tables).select(artifactRecord.selection).where('artifacts.id', 'in', ids),
);

const newestFirst: readonly SortColumn[] = [{ column: 'artifacts.seq', order: 'desc', part: 'integer' }];

export class SqlArtifactReader extends UserRecords implements ArtifactReader {
  async find(id: string): Promise<Artifact | undefined> {
    const row = await this.db.first(byId, { id });
    return row && artifactRecord.decode(row);
  }

  async findMany(ids: readonly string[]): Promise<(Artifact | undefined)[]> {
    const rows = await this.db.all(byIds(ids.length), listArguments(ids));
    return inPlaces(
      ids,
      rows.map((row) => artifactRecord.decode(row)),
      ({ id }) => id,
    );
  }

  async listIds(request: ArtifactListQuery): Promise<Page<string>> {
    const { memoryId, conversationId, type, externalId } = request;
    let rows = visibleArtifacts(this.db.tables);
    if (memoryId !== undefined) rows = rows.where('artifacts.memory_id', '=', memoryId);
    if (conversationId !== undefined) rows = rows.where('artifacts.conversation_id', '=', conversationId);
    if (type !== undefined) rows = rows.where('artifacts.type', '=', type);
    if (externalId !== undefined) rows = rows.where('artifacts.external_id', '=', externalId);
    const page = await pageOf(rows, rows.select(['artifacts.id', 'artifacts.seq']), {
      by: newestFirst,
      request,
    });
    return { ...page, items: page.items.map(({ id }) => id) };
  }
}

export class SqlArtifactWriter extends SqlArtifactReader implements ArtifactWriter {
  async insert(artifact: Artifact, imported?: Imported): Promise<void> {
    const seq = await nextRev(
      this.db,
      { documents: 0, terms: 0 },
      { kind: 'artifact', action: 'created', id: artifact.id },
    );
    await this.db.tables
      .insertInto('artifacts', {
        ...artifactRecord.toTableRow(artifact),
        seq,
        trashed_at: null,
        import_id: imported?.importId ?? null,
        import_digest: imported?.digest ?? null,
      })
      .execute();
  }

  async replace(artifact: Artifact): Promise<void> {
    await nextRev(
      this.db,
      { documents: 0, terms: 0 },
      { kind: 'artifact', action: 'changed', id: artifact.id },
    );
    await this.db.tables
      .updateTable('artifacts')
      .set(artifactRecord.toTableRow(artifact))
      .where('id', '=', artifact.id)
      .execute();
  }

  async trash(id: string, at: number): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'artifact', action: 'deleted', id });
    await this.db.tables.updateTable('artifacts').set({ trashed_at: at }).where('id', '=', id).execute();
  }

  async restore(id: string): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'artifact', action: 'restored', id });
    await this.db.tables.updateTable('artifacts').set({ trashed_at: null }).where('id', '=', id).execute();
  }

  async erase(id: string): Promise<void> {
    await this.db.tables.deleteFrom('artifacts').where('id', '=', id).execute();
  }

  async ownersOf(id: string): Promise<Pick<Artifact, 'memoryId' | 'conversationId'>> {
    return this.db.tables
      .selectFrom('artifacts')
      .select(['memory_id as memoryId', 'conversation_id as conversationId'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }
}
