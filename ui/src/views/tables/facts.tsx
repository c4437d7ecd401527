import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import type { Fact, FactVersion, Memory, Page } from '../../api/records.ts';
import { mayWrite } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Shown } from '../../frame/states.tsx';
import { act } from '../../frame/undo-bar.tsx';
import { GraphLink } from '../../graph/link.tsx';
import { ForeignText } from '../../text/foreign-text.tsx';
import { moment, share, shortDay, words } from '../../words/words.ts';
import { addressOfMemory, timeOf } from '../memory-row.tsx';
import { remove } from './acts.ts';
import { sentenceAround } from './sentence-around.ts';
import { type Column, FilterField, Table } from './table.tsx';
import { useTableAddress } from './table-address.ts';

const path = '/api/facts';
const leastShares = [0.5, 0.8, 0.9] as const;
/** Sentences shown of a fact that many memories state. */
const sentencesMax = 5;

/** What memories state, each with its sentence and with what it said before. */
export function FactsView() {
  const { query, change } = useTableAddress();
  const text = words().tables;
  const columns: readonly Column<Fact>[] = [
    {
      name: text.fact,
      cell: (fact) =>
        fact.sourceMemoryId === undefined ? (
          <Statement of={fact} />
        ) : (
          <a href={addressOfMemory(fact.sourceMemoryId, fact.mentions?.[0])}>
            <Statement of={fact} />
          </a>
        ),
    },
    {
      name: text.confidence,
      sort: { by: 'confidence', first: 'desc' },
      cell: ({ confidence }) => share(confidence),
    },
    {
      name: text.first,
      sort: { by: 'createdAt', first: 'desc' },
      cell: ({ createdAt }) => shortDay(createdAt),
    },
    {
      name: words().views.graph,
      cell: (fact) => <GraphLink kind="fact" id={fact.id} name={nameOf(fact)} />,
    },
  ];
  return (
    <section aria-labelledby="facts-title">
      <div class="bar">
        <h1 id="facts-title">{words().views.facts}</h1>
        <FilterField value={query.q} lengthMax={500} change={(q) => change({ q })} />
        <label>
          {text.confidence}{' '}
          <select
            value={query.least ?? ''}
            onChange={(event) => change({ least: event.currentTarget.value })}
          >
            <option value="">{text.any}</option>
            {leastShares.map((least) => (
              <option key={least} value={least}>
                {text.atLeast(share(least))}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={query.all === '1'}
            onChange={(event) => change({ all: event.currentTarget.checked ? '1' : undefined })}
          />{' '}
          {text.outdated}
        </label>
        {query.entity && (
          <button type="button" onClick={() => change({ entity: undefined })}>
            {text.ofAll}
          </button>
        )}
      </div>
      <Table<Fact>
        title={words().views.facts}
        path={path}
        query={{
          q: query.q,
          entityId: query.entity,
          minConfidence: query.least,
          includeSuperseded: query.all === '1' || undefined,
        }}
        columns={columns}
        sortedBy="createdAt"
        nameOf={nameOf}
        remove={({ id }) => remove(`${path}/${id}`)}
        details={(fact, close) => <FactDetails fact={fact} close={close} />}
      />
    </section>
  );
}

type Said = Pick<Fact, 'subject' | 'predicate' | 'object'>;

const nameOf = ({ subject, predicate, object }: Said) => `${subject} ${predicate} ${object}`;

function Statement({ of: { subject, predicate, object, ...more } }: { readonly of: Said & Partial<Fact> }) {
  const state = more.effectiveState ?? 'current';
  return (
    <span class={`foreign ${state}`}>
      <bdi>{subject}</bdi>{' '}
      <b>
        <bdi>{predicate}</bdi>
      </b>{' '}
      <bdi>{object}</bdi>
      {state !== 'current' && <i class={`state ${state}`}>{words().state[state] ?? state}</i>}
      {more.corrected && <span class="hint"> {words().tables.corrected}</span>}
    </span>
  );
}

interface DetailsProps {
  readonly fact: Fact;
  readonly close: () => void;
}

function FactDetails({ fact, close }: DetailsProps) {
  const text = words().tables;
  const { mentions = [], sourceMemoryIds } = fact;
  const places = mentions.length > 0 ? mentions : sourceMemoryIds.map((memoryId) => ({ memoryId }));
  return (
    <>
      {places.length === 0 && <p class="hint">{text.noSource}</p>}
      {places.slice(0, sentencesMax).map((place) => (
        <Sentence key={place.memoryId} of={place} />
      ))}
      {places.length > sentencesMax && <p class="hint">{text.moreSources(places.length - sentencesMax)}</p>}
      <Former id={fact.id} />
      {mayWrite.value && <EditFact fact={fact} close={close} />}
    </>
  );
}

interface Place {
  readonly memoryId: string;
  readonly start?: number;
  readonly end?: number;
}

/** The words of a memory that state a fact, with those around them. */
function Sentence({ of: place }: { readonly of: Place }) {
  const { memoryId } = place;
  const loaded = useQuery<{ data: Memory }>({ path: `/api/memories/${memoryId}` }, { isBeside: true });
  return (
    <Shown of={loaded}>
      {({ data }) => (
        <p class="sentence">
          <a class="hint" href={addressOfMemory(memoryId, place)}>
            {moment(timeOf(data))}
          </a>{' '}
          <ForeignText {...sentenceAround(data.content, place)} isWhole />
        </p>
      )}
    </Shown>
  );
}

/** What it said before each edit. */
function Former({ id }: { readonly id: string }) {
  const request = { path: `${path}/${encodeURIComponent(id)}/versions`, query: { limit: 20 } };
  const loaded = useQuery<Page<FactVersion>>(request, { isBeside: true });
  return (
    <Shown of={loaded}>
      {({ data }) =>
        data.length > 0 && (
          <>
            <h2>{words().tables.former}</h2>
            <ul class="entries" aria-label={words().tables.former}>
              {data.map((version) => (
                <li key={version.closedAt}>
                  <Statement of={version} />
                  <span class="hint">{words().tables.until(moment(version.closedAt))}</span>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Shown>
  );
}

const fields = ['subject', 'predicate', 'object'] as const;
const longest = { subject: 500, predicate: 200, object: 500 } as const;

function EditFact({ fact, close }: DetailsProps) {
  const [said, change] = useState<Readonly<Record<(typeof fields)[number], string>>>(fact);
  const address = `${path}/${fact.id}`;
  const trash = () => {
    close();
    void remove(address);
  };
  const save = (event: Event) => {
    event.preventDefault();
    const changed = fields.filter((name) => said[name] !== fact[name]);
    const only = (of: typeof said) => Object.fromEntries(changed.map((name) => [name, of[name]]));
    void act(words().memory.saved, async () => {
      await ask({ method: 'PUT', path: address, body: only(said) });
      close();
      return () => ask({ method: 'PUT', path: address, body: only(fact) });
    });
  };
  return (
    <form class="bar" onSubmit={save}>
      {fields.map((name) => (
        <label key={name}>
          {words().tables[name]}{' '}
          <input
            value={said[name]}
            required
            maxLength={longest[name]}
            onInput={(event) => change({ ...said, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit">{words().memory.save}</button>
      <button type="button" class="quiet" onClick={trash}>
        {words().memory.trash} <kbd>#</kbd>
      </button>
    </form>
  );
}
