import type {
  AskedEntityType,
  DerivedReader,
  NamedEntity,
  NamedTimeOfVersion,
  NamedTopic,
  TimeRange,
} from '../../../search-index/ports.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

type DocRow = { readonly doc: number };
type IdAndLimit = { readonly id: string; readonly limit: number };

/** Entities with the entity they are shown as, `shown`. */
const shownEntities = (tables: UserTables) =>
  tables
    .selectFrom('entities')
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('shown.trashed_at', 'is', null);

const entitiesNamed = listQuery<string, NamedEntity>((tables, keys) =>
  shownEntities(tables)
    .select(['shown.id', 'shown.name', 'shown.type'])
    .distinct()
    .where('entities.name_key', 'in', keys)
    .orderBy('shown.id'),
);

interface TopicNameRow {
  readonly id: string;
  readonly name: string;
  readonly normalized: string;
}

const topicsNamed = listQuery<string, TopicNameRow>((tables, names) =>
  tables
    .selectFrom('topics')
    .$call(join('topics as shown', 'topics.canonical_id'))
    .$call(join('topics as same', 'topics.canonical_id', 'canonical_id'))
    .select(['shown.id', 'shown.name', 'same.normalized_name as normalized'])
    .distinct()
    .where('topics.normalized_name', 'in', names)
    .orderBy('shown.id'),
);

/** Engines have different orders of letters. */
function byName(a: NamedEntity | NamedTopic, b: NamedEntity | NamedTopic): number {
  const [x, y] = [a, b].map((each) => `${each.name} ${'type' in each ? each.type : ''}`);
  return x < y ? -1 : Number(x > y);
}

const docsOfEntity = new UserQuery<IdAndLimit, DocRow>((tables, { id, limit }) =>
  tables
    .selectFrom('entities')
    .$call(join('entity_mentions', 'entities.id', 'entity_id'))
    .select('entity_mentions.doc')
    .distinct()
    .where('entities.canonical_id', '=', id)
    .orderBy('entity_mentions.doc', 'desc')
    .limit(limit),
);

const docsOfTopic = new UserQuery<IdAndLimit, DocRow>((tables, { id, limit }) =>
  tables
    .selectFrom('topics')
    .$call(join('derived_topics', 'topics.id', 'topic_id'))
    .select('derived_topics.doc')
    .distinct()
    .where('topics.canonical_id', '=', id)
    .orderBy('derived_topics.doc', 'desc')
    .limit(limit),
);

const docsWithTopics = listQuery<string, DocRow>((tables, names) =>
  tables
    .selectFrom('topics')
    .$call(join('derived_topics', 'topics.id', 'topic_id'))
    .select('derived_topics.doc')
    .where('topics.normalized_name', 'in', names),
);

interface MentionRow extends DocRow {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly foundBy: string;
}

const mentionsOf = (type: AskedEntityType) =>
  listQuery<number, MentionRow>((tables, docs) =>
    shownEntities(tables)
      .$call(join('entity_mentions', 'entities.id', 'entity_id'))
      .select(['entity_mentions.doc', 'entities.name_key as key', 'entity_mentions.found_by as foundBy'])
      .select(['entity_mentions.start_at as start', 'entity_mentions.end_at as end'])
      .where('entity_mentions.doc', 'in', docs)
      .where('shown.type', '=', type),
  );

const mentions: Readonly<Record<AskedEntityType, ReturnType<typeof mentionsOf>>> = {
  PERSON: mentionsOf('PERSON'),
  LOCATION: mentionsOf('LOCATION'),
};

const timedDocs = listQuery<number, DocRow>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .select('doc')
    .distinct()
    .where('doc', 'in', docs)
    .where('said_time', 'is not', null),
);

const datedDocs = listQuery<number, DocRow>((tables, docs) =>
  tables.selectFrom('named_times').select('doc').distinct().where('doc', 'in', docs),
);

const timesNamed = new UserQuery<TimeRange & { readonly limit: number }, NamedTimeOfVersion>(
  (tables, { from, to, limit }) =>
    tables
      .selectFrom('named_times')
      .select(['doc', 'from_at as from', 'to_at as to'])
      .where('to_at', '>', from)
      .where('from_at', '<', to)
      .orderBy('doc', 'desc')
      .orderBy('from_at')
      .limit(limit),
);

/** A speaker is at the beginning of the text, and was found by its form. */
const isSpeaker = ({ start, end, foundBy }: MentionRow) => start === 0 && end > 0 && foundBy === 'pattern';

const docOf = ({ doc }: DocRow) => doc;

/** See `DerivedReader`. */
export class SqlDerivedRows implements DerivedReader {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  async entitiesNamed(keys: readonly string[], limit: number): Promise<NamedEntity[]> {
    const found = await this.#db.all(entitiesNamed(keys.length), listArguments(keys));
    return found.toSorted(byName).slice(0, limit);
  }

  async topicsNamed(names: readonly string[], limit: number): Promise<NamedTopic[]> {
    const found = new Map<string, NamedTopic & { readonly names: string[] }>();
    for (const { id, name, normalized } of await this.#db.all(
      topicsNamed(names.length),
      listArguments(names),
    )) {
      const topic = found.get(id) ?? { id, name, names: [] };
      topic.names.push(normalized);
      found.set(id, topic);
    }
    return [...found.values()].toSorted(byName).slice(0, limit);
  }

  async docsOfEntity(id: string, limit: number): Promise<number[]> {
    return (await this.#db.all(docsOfEntity, { id, limit })).map(docOf);
  }

  async docsOfTopic(id: string, limit: number): Promise<number[]> {
    return (await this.#db.all(docsOfTopic, { id, limit })).map(docOf);
  }

  async docsWithTopics(names: readonly string[]): Promise<number[]> {
    return (await this.#db.all(docsWithTopics(names.length), listArguments(names))).map(docOf);
  }

  async docsNaming(
    docs: readonly number[],
    type: AskedEntityType,
    exceptKeys: ReadonlySet<string>,
  ): Promise<number[]> {
    const rows = await this.#db.all(mentions[type](docs.length), listArguments(docs));
    return rows.filter((row) => !isSpeaker(row) && !exceptKeys.has(row.key)).map(docOf);
  }

  timesNamedWithin({ from, to }: TimeRange, limit: number): Promise<NamedTimeOfVersion[]> {
    return this.#db.all(timesNamed, { from, to, limit });
  }

  async docsWithTime(docs: readonly number[]): Promise<number[]> {
    const found = [timedDocs, datedDocs].map((query) =>
      this.#db.all(query(docs.length), listArguments(docs)),
    );
    return [...new Set((await Promise.all(found)).flat().map(docOf))];
  }
}
