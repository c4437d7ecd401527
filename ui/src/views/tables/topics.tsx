import { ask } from '../../api/client.ts';
import type { Topic } from '../../api/records.ts';
import { addressOf } from '../../frame/query-bar.tsx';
import { act } from '../../frame/undo-bar.tsx';
import { GraphLink } from '../../graph/link.tsx';
import { count, shortDay, words } from '../../words/words.ts';
import { undoMerge } from './acts.ts';
import { type Column, Table } from './table.tsx';
import { useAfterTyping, useTableAddress } from './table-address.ts';

/** What memories are about. */
export function TopicsView() {
  const { query, change } = useTableAddress();
  const search = useAfterTyping((name) => change({ name }));
  const text = words().tables;
  const columns: readonly Column<Topic>[] = [
    {
      name: text.name,
      sort: { by: 'name', first: 'asc' },
      cell: ({ name }) => (
        <a href={addressOf({ q: `topic:"${name}"` })}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    {
      name: text.count,
      sort: { by: 'memoryCount', first: 'desc' },
      cell: ({ memoryCount }) => count(memoryCount),
    },
    { name: text.first, cell: ({ createdAt }) => shortDay(createdAt) },
    { name: text.origin, cell: ({ derived }) => (derived ? words().memory.derived : text.given) },
    { name: words().views.graph, cell: ({ id, name }) => <GraphLink kind="topic" id={id} name={name} /> },
  ];
  return (
    <section aria-labelledby="topics-title">
      <div class="bar">
        <h1 id="topics-title">{words().views.topics}</h1>
        <label>
          {text.filter}{' '}
          <input
            type="search"
            defaultValue={query.name ?? ''}
            maxLength={200}
            onInput={(event) => search(event.currentTarget.value)}
          />
        </label>
      </div>
      <Table<Topic>
        title={words().views.topics}
        path="/api/topics"
        query={{ query: query.name, ...(query.sortBy === undefined && { sortBy: 'memoryCount' }) }}
        columns={columns}
        sortedBy="memoryCount"
        nameOf={({ name }) => name}
        merge={merge}
      />
    </section>
  );
}

const merge = (stays: Topic, goes: Topic) =>
  act(words().tables.merged, async () => {
    const body = { sourceTopicId: goes.id, targetTopicId: stays.id };
    await ask({ method: 'POST', path: '/api/topics/merge', body });
    return () => undoMerge({ kind: 'topic-merge', goes, stays });
  });
