import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import type { Topic } from '../../api/records.ts';
import { mayWrite } from '../../api/session.ts';
import { addressOf } from '../../frame/query-bar.tsx';
import { act } from '../../frame/undo-bar.tsx';
import { GraphLink } from '../../graph/link.tsx';
import { count, shortDay, words } from '../../words/words.ts';
import { undoMerge } from './acts.ts';
import { type Column, FilterField, Table } from './table.tsx';
import { useTableAddress } from './table-address.ts';

/** What memories are about. */
export function TopicsView() {
  const { query, change } = useTableAddress();
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
        <FilterField value={query.name} lengthMax={200} change={(name) => change({ name })} />
      </div>
      <Table<Topic>
        title={words().views.topics}
        path="/api/topics"
        query={{ query: query.name, ...(query.sortBy === undefined && { sortBy: 'memoryCount' }) }}
        columns={columns}
        sortedBy="memoryCount"
        nameOf={({ name }) => name}
        merge={merge}
        details={(topic, close) => <TopicDetails topic={topic} close={close} />}
      />
    </section>
  );
}

const merge = (stays: Topic, goes: Topic) =>
  act(words().tables.merged, async () => {
    const body = { sourceTopicId: goes.id, targetTopicId: stays.id };
    await ask({ method: 'POST', path: '/api/topics/merge', body });
    return () => undoMerge({ kind: 'topic-merge', title: `${goes.name} merged into ${stays.name}` });
  });

interface DetailsProps {
  readonly topic: Topic;
  readonly close: () => void;
}

function TopicDetails({ topic, close }: DetailsProps) {
  return (
    <>
      <p class="bar">
        <a href={addressOf({ q: `topic:"${topic.name}"` })}>{words().memories(topic.memoryCount)}</a>
      </p>
      {mayWrite.value && <RenameTopic topic={topic} close={close} />}
    </>
  );
}

function RenameTopic({ topic, close }: DetailsProps) {
  const [name, setName] = useState(topic.name);
  const save = (event: Event) => {
    event.preventDefault();
    void act(words().memory.saved, async () => {
      const { body } = await ask<{ readonly data: Topic }>({
        method: 'PATCH',
        path: `/api/topics/${topic.id}`,
        body: { name },
      });
      close();
      return () => undoMerge({ kind: 'topic-merge', title: `${topic.name} renamed to ${body.data.name}` });
    });
  };
  return (
    <form class="bar" onSubmit={save}>
      <label>
        {words().tables.name}{' '}
        <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <button type="submit">{words().memory.save}</button>
    </form>
  );
}
