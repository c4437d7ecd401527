import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import type { ListedEntity } from '../../api/records.ts';
import { mayWrite } from '../../api/session.ts';
import { addressOf } from '../../frame/query-bar.tsx';
import { act } from '../../frame/undo-bar.tsx';
import { GraphLink } from '../../graph/link.tsx';
import { count, shortDay, words } from '../../words/words.ts';
import { remove, undoMerge } from './acts.ts';
import { type Column, FilterField, Table } from './table.tsx';
import { useTableAddress } from './table-address.ts';

const types = [
  ...['PERSON', 'ORGANIZATION', 'LOCATION', 'PROJECT', 'TECHNOLOGY'],
  ...['COMPONENT', 'API_ENDPOINT', 'FILE', 'CONCEPT'],
] as const;

const path = '/api/entities';
const seenOn = (iso: string | undefined) => (iso === undefined ? '' : shortDay(iso));

/** What memories mention, to be put right: two that are one, a wrong name or type, what is none. */
export function PeopleView() {
  const { query, change } = useTableAddress();
  const text = words().tables;
  const columns: readonly Column<ListedEntity>[] = [
    {
      name: text.name,
      sort: { by: 'name', first: 'asc' },
      cell: ({ id, name, aliases }) => (
        <>
          <a href={addressOf({ q: `entity:${id}` })}>
            <bdi>{name}</bdi>
          </a>
          {aliases.length > 0 && (
            <span class="hint">
              {' '}
              {text.also} <bdi>{aliases.slice(0, 3).join(', ')}</bdi>
            </span>
          )}
        </>
      ),
    },
    { name: text.type, cell: ({ type }) => type },
    {
      name: text.count,
      sort: { by: 'mentionCount', first: 'desc' },
      cell: ({ mentionCount }) => count(mentionCount),
    },
    {
      name: text.first,
      sort: { by: 'firstSeenAt', first: 'desc' },
      cell: ({ firstSeenAt }) => seenOn(firstSeenAt),
    },
    {
      name: text.seen,
      sort: { by: 'lastSeenAt', first: 'desc' },
      cell: ({ lastSeenAt }) => seenOn(lastSeenAt),
    },
    { name: words().views.graph, cell: ({ id, name }) => <GraphLink kind="entity" id={id} name={name} /> },
  ];
  return (
    <section aria-labelledby="people-title">
      <div class="bar">
        <h1 id="people-title">{words().views.people}</h1>
        <FilterField value={query.name} lengthMax={200} change={(name) => change({ name })} />
        <label>
          {text.type}{' '}
          <select value={query.type ?? ''} onChange={(event) => change({ type: event.currentTarget.value })}>
            <option value="">{text.allTypes}</option>
            {types.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
      </div>
      <Table<ListedEntity>
        title={words().views.people}
        path={path}
        query={{ query: query.name, type: query.type }}
        columns={columns}
        sortedBy="mentionCount"
        nameOf={({ name }) => name}
        merge={merge}
        remove={({ id }) => remove(`${path}/${id}`)}
        details={(entity, close) => <EntityDetails entity={entity} close={close} />}
      />
    </section>
  );
}

const merge = (stays: ListedEntity, goes: ListedEntity) =>
  act(words().tables.merged, async () => {
    const body = { sourceEntityId: goes.id, targetEntityId: stays.id };
    await ask({ method: 'POST', path: `${path}/merge`, body });
    return () => undoMerge({ kind: 'entity-merge', recordId: goes.id });
  });

const takeOut = (entity: ListedEntity, part: { readonly id: string }) =>
  act(words().tables.takenOut, async () => {
    await ask({ method: 'POST', path: `${path}/unmerge`, body: { entityId: part.id } });
    const body = { sourceEntityId: part.id, targetEntityId: entity.id };
    return () => ask({ method: 'POST', path: `${path}/merge`, body });
  });

/** An empty name means the one of its memories: an entity that was not corrected is not afterwards, either. */
const before = ({ name, type, foundType, corrected }: ListedEntity) =>
  corrected ? { name, type } : { name: '', type: foundType ?? type };

interface DetailsProps {
  readonly entity: ListedEntity;
  readonly close: () => void;
}

function EntityDetails({ entity, close }: DetailsProps) {
  const text = words().tables;
  return (
    <>
      <p class="bar">
        <a href={addressOf({ q: `entity:${entity.id}` })}>{words().memories(entity.mentionCount)}</a>
        <a href={`/ui/facts?entity=${entity.id}`}>{words().views.facts}</a>
        {entity.corrected && <span class="hint">{text.corrected}</span>}
      </p>
      {entity.mergedEntities.length > 0 && (
        <ul class="entries" aria-label={text.parts}>
          {entity.mergedEntities.map((part) => (
            <li key={part.id}>
              <bdi class="text">{part.name}</bdi>
              <span class="hint">{part.mergedBy === 'rule' && text.byRule}</span>
              {mayWrite.value && (
                <button type="button" onClick={() => void takeOut(entity, part)}>
                  {text.takeOut}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayWrite.value && <EditEntity entity={entity} close={close} />}
    </>
  );
}

function EditEntity({ entity, close }: DetailsProps) {
  const [name, setName] = useState(entity.name);
  const [type, setType] = useState(entity.type);
  const text = words().tables;
  const trash = () => {
    close();
    void remove(`${path}/${entity.id}`);
  };
  const save = (event: Event) => {
    event.preventDefault();
    const body = { ...(name !== entity.name && { name }), ...(type !== entity.type && { type }) };
    void act(words().memory.saved, async () => {
      await ask({ method: 'PATCH', path: `${path}/${entity.id}`, body });
      close();
      return () => ask({ method: 'PATCH', path: `${path}/${entity.id}`, body: before(entity) });
    });
  };
  return (
    <form class="bar" onSubmit={save}>
      <label>
        {text.name}{' '}
        <input value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        {text.type}{' '}
        <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {types.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="submit">{words().memory.save}</button>
      <button type="button" class="quiet" onClick={trash}>
        {words().memory.trash} <kbd>#</kbd>
      </button>
    </form>
  );
}
