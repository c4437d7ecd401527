import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import type { FullMemory, Placed, Relation } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { addressOf } from '../frame/query-bar.tsx';
import { act } from '../frame/undo-bar.tsx';
import { share, words } from '../words/words.ts';
import { addressOfMemory } from './memory-row.tsx';

/** The part of the text that is pointed at. */
export const pointedAt = signal<Placed | undefined>(undefined);

/** What is known of a memory beside its text: relationships, facts, people and things, topics. */
export function KnownOf({ memory }: { readonly memory: FullMemory }) {
  const text = words().memory;
  const { facts = [], entities = [], relationships = [], userTopics = [], extractedTopics = [] } = memory;
  return (
    <>
      <Part title={text.edges} count={relationships.length}>
        <ul>
          {relationships.map((edge) => (
            <Edge key={edge.id} edge={edge} memory={memory} />
          ))}
        </ul>
      </Part>
      <Part title={text.facts} count={facts.length}>
        <ul>
          {facts.map((fact) => (
            <li key={fact.id}>
              <bdi>{fact.subject}</bdi> <b>{fact.predicate}</b> <bdi>{fact.object}</bdi>{' '}
              <span class="hint">{share(fact.confidence)}</span> <InText memory={memory} of={fact} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title={text.entities} count={entities.length}>
        <ul class="flow">
          {entities.map((entity) => (
            <li key={entity.id}>
              <a href={addressOf({ q: `"${entity.name}"` })}>
                <bdi>{entity.name}</bdi>
              </a>{' '}
              <span class="hint">{entity.type}</span> <InText memory={memory} of={entity} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title={text.topics} count={userTopics.length + extractedTopics.length}>
        <ul class="flow">
          {userTopics.map((topic) => (
            <Topic key={topic} topic={topic} />
          ))}
          {extractedTopics.map((topic) => (
            <Topic key={topic} topic={topic} isDerived />
          ))}
        </ul>
      </Part>
      <p>
        <a href={addressOf({ q: `conversation:${memory.conversationId}` })}>{text.conversation}</a>
      </p>
      <details>
        <summary>{text.raw}</summary>
        <pre>{JSON.stringify(memory, null, 2)}</pre>
      </details>
    </>
  );
}

/** A link to the words of the text; pointing at it is enough to see them. */
function InText({ memory, of }: { readonly memory: FullMemory; readonly of: Placed }) {
  const { query } = useLocation();
  if (of.start === undefined) return null;
  const point = () => {
    pointedAt.value = of;
  };
  const leave = () => {
    pointedAt.value = undefined;
  };
  return (
    <a
      href={addressOfMemory(memory.id, of, query.asOf)}
      onMouseEnter={point}
      onFocus={point}
      onMouseLeave={leave}
      onBlur={leave}
    >
      {words().memory.inText}
    </a>
  );
}

interface PartProps {
  readonly title: string;
  readonly count: number;
  readonly children: ComponentChildren;
}

function Part({ title, count, children }: PartProps) {
  return (
    <section>
      <h2>
        {title} <span class="count">{count}</span>
      </h2>
      {count > 0 && children}
    </section>
  );
}

function Topic({ topic, isDerived = false }: { readonly topic: string; readonly isDerived?: boolean }) {
  return (
    <li>
      <a
        class="topic"
        href={addressOf({ q: `topic:"${topic}"` })}
        title={isDerived ? words().memory.derived : undefined}
      >
        {isDerived ? (
          <i>
            <bdi>{topic}</bdi>
          </i>
        ) : (
          <bdi>{topic}</bdi>
        )}
      </a>
    </li>
  );
}

function Edge({ edge, memory }: { readonly edge: Relation; readonly memory: FullMemory }) {
  const { id, type, direction, targetMemoryId: other, confidence, reason, targetPreview } = edge;
  const isFrom = direction === 'outgoing';
  const remove = () =>
    act(words().memory.edgeRemoved, async () => {
      await ask({ method: 'DELETE', path: `/api/memories/${memory.id}/relationships/${id}` });
      return () => ask({ method: 'POST', path: `/api/relationships/candidates/${id}/reopen` });
    });
  return (
    <li>
      {isFrom ? '→' : '←'} <b>{type}</b>{' '}
      <a href={addressOfMemory(other)}>
        <bdi>{targetPreview ?? other.slice(0, 8)}</bdi>
      </a>{' '}
      <span class="hint">
        {share(confidence)} <bdi>{reason}</bdi>
      </span>{' '}
      {mayWrite.value && (
        <button type="button" class="quiet" onClick={() => void remove()}>
          {words().memory.removeEdge}
        </button>
      )}
    </li>
  );
}
