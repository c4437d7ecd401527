import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Query } from '../api/client.ts';
import type { Entity, Fact } from '../api/records.ts';
import { usePages } from '../api/use-pages.ts';
import { addressOf } from '../frame/query-bar.tsx';
import { Shown } from '../frame/states.tsx';
import { count, day, share, words } from '../words/words.ts';
import { addressOfMemory } from './memory-row.tsx';

interface TableProps<T> {
  readonly title: string;
  readonly path: string;
  readonly query?: Query;
  readonly columns: readonly string[];
  readonly row: (item: T) => readonly ComponentChildren[];
}

function Table<T extends { readonly id: string }>({ title, path, query = {}, columns, row }: TableProps<T>) {
  const pages = usePages<T>(path, query);
  return (
    <>
      <p class="hint">{count(pages.count)}</p>
      <Shown of={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">{words().tables.none}</p>
          ) : (
            <div class="scroll">
              <table aria-label={title}>
                <thead>
                  <tr>
                    {columns.map((name) => (
                      <th key={name} scope="col">
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((item) => (
                    <tr key={item.id} data-row tabIndex={-1}>
                      {row(item).map((cell, i) => (
                        <td key={columns[i]}>{cell}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      {pages.more && (
        <button type="button" class="more" onClick={pages.more}>
          {words().loadMore}
        </button>
      )}
    </>
  );
}

export function PeopleView() {
  const text = words().tables;
  const [query, setQuery] = useState('');
  return (
    <section aria-labelledby="people-title">
      <div class="bar">
        <h1 id="people-title">{words().views.people}</h1>
        <label>
          {text.filter}{' '}
          <input type="search" value={query} onChange={(event) => setQuery(event.currentTarget.value)} />
        </label>
      </div>
      <Table<Entity>
        title={words().views.people}
        path="/api/entities"
        query={{ query }}
        columns={[text.name, text.type, text.count, text.seen]}
        row={({ name, type, mentionCount, lastSeenAt }) => [
          <a key="name" href={addressOf({ q: `"${name}"` })}>
            <bdi>{name}</bdi>
          </a>,
          type,
          count(mentionCount),
          lastSeenAt === undefined ? '' : day(lastSeenAt),
        ]}
      />
    </section>
  );
}

export function FactsView() {
  const text = words().tables;
  return (
    <section aria-labelledby="facts-title">
      <h1 id="facts-title">{words().views.facts}</h1>
      <Table<Fact>
        title={words().views.facts}
        path="/api/facts"
        columns={[text.fact, text.confidence]}
        row={({ subject, predicate, object, confidence, sourceMemoryId, mentions }) => {
          const sentence = (
            <>
              <bdi>{subject}</bdi> <b>{predicate}</b> <bdi>{object}</bdi>
            </>
          );
          return [
            sourceMemoryId === undefined ? (
              sentence
            ) : (
              <a key="source" href={addressOfMemory(sourceMemoryId, mentions?.[0])}>
                {sentence}
              </a>
            ),
            share(confidence),
          ];
        }}
      />
    </section>
  );
}

interface Topic {
  readonly id: string;
  readonly name: string;
  readonly memoryCount: number;
}

export function TopicsView() {
  const text = words().tables;
  return (
    <section aria-labelledby="topics-title">
      <h1 id="topics-title">{words().views.topics}</h1>
      <Table<Topic>
        title={words().views.topics}
        path="/api/topics"
        query={{ sortBy: 'memoryCount', order: 'desc' }}
        columns={[text.name, text.count]}
        row={({ name, memoryCount }) => [
          <a key="name" href={addressOf({ q: `topic:"${name}"` })}>
            <bdi>{name}</bdi>
          </a>,
          count(memoryCount),
        ]}
      />
    </section>
  );
}
