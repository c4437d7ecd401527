import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SearchResponse } from '../api/records.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { addressOf } from '../frame/query-bar.tsx';
import { Shown } from '../frame/states.tsx';
import { excerptOf } from '../search/excerpt.ts';
import { filterNames, readQuery, toSearch, writeQuery } from '../search/query-language.ts';
import { moment, share, words } from '../words/words.ts';
import { ComparedParts, ExplainedMemory, ScoreParts } from './explained.tsx';
import { MemoryRow } from './memory-row.tsx';

const methods = ['hybrid', 'keyword', 'semantic'] as const;
const modes = ['current', 'historical', 'evolution'] as const;
const pageSize = 20;
/** Parameters of the search from 0 to 1, with the values that ship. */
const shipped = { fulltextWeight: 0.3, vectorWeight: 0.7, recency: 0 } as const;
const tuned = ['fulltextWeight', 'vectorWeight', 'recency'] as const;

/** Finds memories; each result says why it was found. */
export function SearchView() {
  const { query, route } = useLocation();
  const read = readQuery(query.q ?? '');
  const page = Number(query.page ?? 1) || 1;
  const search = toSearch(read);
  const isOff = Object.values(search).every((value) => value === undefined);
  const found = useQuery<SearchResponse>(
    {
      path: '/api/memories/search',
      query: {
        ...search,
        searchMethod: query.method,
        temporalMode: query.mode ?? search.temporalMode,
        asOfTime: query.asOf,
        explain: true,
        explainId: query.why,
        includeFacets: true,
        ...Object.fromEntries(tuned.map((name) => [name, query[name]])),
        limit: pageSize,
        offset: (page - 1) * pageSize,
      },
    },
    { isOff },
  );
  const go = (next: Record<string, string | undefined>) =>
    route(addressOf({ ...query, page: undefined, ...next }));
  const text = words().search;
  return (
    <section aria-labelledby="search-title">
      <div class="bar">
        <h1 id="search-title">{words().views.search}</h1>
        <Choice
          label={text.method}
          names={methods}
          value={query.method}
          onChange={(method) => go({ method })}
        />
        <Choice label={text.mode} names={modes} value={query.mode} onChange={(mode) => go({ mode })} />
        <Tune onChange={go} />
      </div>
      {isOff ? (
        <p class="empty">{text.empty}</p>
      ) : (
        <Shown of={found}>{(response) => <Results response={response} page={page} />}</Shown>
      )}
    </section>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly names: readonly T[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** The first name is the default, which the address leaves out. */
function Choice<T extends (typeof methods)[number] | (typeof modes)[number]>(props: ChoiceProps<T>) {
  const { label, names, value, onChange } = props;
  const choose = (chosen: string) => onChange(chosen === names[0] ? undefined : chosen);
  return (
    <label>
      {label}{' '}
      <select value={value ?? names[0]} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {words().search[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What counts how much; only values that do not ship are in the address. */
function Tune({ onChange }: { readonly onChange: (next: Record<string, string | undefined>) => void }) {
  const { query } = useLocation();
  const text = words().search;
  return (
    <details open={tuned.some((name) => query[name] !== undefined)}>
      <summary>{text.tune}</summary>
      {tuned.map((name) => (
        <label key={name}>
          {text.tuned[name]}{' '}
          <input
            type="range"
            min={0}
            max={1}
            step={0.1}
            value={query[name] ?? shipped[name]}
            onChange={({ currentTarget: { value } }) =>
              onChange({ [name]: Number(value) === shipped[name] ? undefined : value })
            }
          />
        </label>
      ))}
    </details>
  );
}

function Results({ response, page }: { readonly response: SearchResponse; readonly page: number }) {
  const { query, route } = useLocation();
  const { meta, data, facets, explained } = response;
  const [why, setWhy] = useState<string | undefined>();
  const [other, compare] = useState<string | undefined>();
  const compared = data.find(({ id }) => id === other && id !== why);
  useViewKeys({
    w: () => {
      const id = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>('[data-hit]')?.dataset
        .hit;
      setWhy(id === why ? undefined : id);
    },
  });
  const text = words().search;
  const timed = meta.timeRead as { from?: string; to?: string } | undefined;
  const last = Math.ceil(meta.total / pageSize);
  const rankOf = (of: string) => (page - 1) * pageSize + data.findIndex(({ id }) => id === of) + 1;
  return (
    <>
      <p class="hint">
        {text.found(meta.total, meta.searchTime)}{' '}
        {timed && text.timed([timed.from, timed.to].flatMap((at) => (at ? [moment(at)] : [])).join(' - '))}
      </p>
      {explained && <ExplainedMemory explained={explained} />}
      {data.length === 0 && <NothingFound best={meta.bestRelevance ?? undefined} />}
      <div class="found">
        {facets && data.length > 0 && <Facets facets={facets as never} />}
        <ol start={(page - 1) * pageSize + 1}>
          {data.map((hit) => (
            <li key={hit.id} data-hit={hit.id}>
              <MemoryRow memory={hit} hasDay asOf={query.asOf} {...excerptOf(hit)} />
              <span class="relevance">{share(hit.relevance ?? 0)}</span>
              <button
                type="button"
                class="quiet"
                aria-expanded={why === hit.id}
                onClick={() => setWhy(why === hit.id ? undefined : hit.id)}
              >
                {text.why}
              </button>
              {why !== undefined && why !== hit.id && (
                <button
                  type="button"
                  class="quiet"
                  aria-pressed={other === hit.id}
                  onClick={() => compare(other === hit.id ? undefined : hit.id)}
                >
                  {text.compare}
                </button>
              )}
              {why === hit.id && hit.explanation && (
                <div class="why">
                  <p>{hit.explanation.matchReason}</p>
                  {compared?.explanation ? (
                    <ComparedParts
                      parts={hit.explanation.parts}
                      others={compared.explanation.parts}
                      ranks={[hit.id, compared.id].map((each) => rankOf(each))}
                    />
                  ) : (
                    <ScoreParts parts={hit.explanation.parts} />
                  )}
                </div>
              )}
            </li>
          ))}
        </ol>
      </div>
      {last > 1 && (
        <div class="bar">
          {page > 1 && <a href={addressOf({ ...query, page: String(page - 1) })}>&lsaquo; {page - 1}</a>}
          <span>
            {page} / {last}
          </span>
          {page < last && (
            <button type="button" onClick={() => route(addressOf({ ...query, page: String(page + 1) }))}>
              {page + 1} &rsaquo;
            </button>
          )}
        </div>
      )}
      <AskWhy />
    </>
  );
}

const id = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/** Of a memory that was expected, by its id or its address: where it is in this search. */
function AskWhy() {
  const { query, route } = useLocation();
  const ask = (event: Event) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('why'));
    route(addressOf({ ...query, why: id.exec(given)?.[0] ?? given.trim() }));
  };
  return (
    <form class="bar" onSubmit={ask}>
      <label>
        {words().explained.ask} <input name="why" required autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">{words().explained.show}</button>
    </form>
  );
}

function NothingFound({ best }: { readonly best: number | undefined }) {
  const { query } = useLocation();
  const read = readQuery(query.q ?? '');
  const given = filterNames.filter((name) => read.filters[name] !== undefined);
  return (
    <div class="empty">
      <p>
        {words().search.none} {best !== undefined && words().search.best(share(best))}
      </p>
      {given.map((name) => (
        <a
          key={name}
          href={addressOf({
            ...query,
            q: writeQuery({ ...read, filters: { ...read.filters, [name]: undefined } }),
          })}
        >
          {words().search.without(name)}
        </a>
      ))}
    </div>
  );
}

const facetFilters: Readonly<
  Record<string, 'topic' | 'is' | 'type' | 'entity' | 'conversation' | 'role' | 'by'>
> = {
  topics: 'topic',
  effectiveState: 'is',
  memoryType: 'type',
  entityId: 'entity',
  conversationId: 'conversation',
  role: 'role',
  createdBy: 'by',
};

interface FacetValue {
  readonly value: string;
  readonly count: number;
  /** A name or title in place of an id. */
  readonly label?: string;
}

type FacetCounts = Readonly<Record<string, readonly FacetValue[]>>;

/** Titles of conversations may be the beginning of a text. */
const labelLength = 60;

/** Counts of what was found; a click narrows down to it, another one takes that back. */
function Facets({ facets }: { readonly facets: FacetCounts }) {
  const { query } = useLocation();
  const read = readQuery(query.q ?? '');
  return (
    <aside aria-label={words().search.facets}>
      {Object.entries(facets).map(([facet, values]) => {
        const name = facetFilters[facet];
        if (name === undefined || values.length === 0) return null;
        return (
          <ul key={facet} aria-label={words().search.narrow[name]}>
            {values.slice(0, 12).map(({ value, count, label = value }) => {
              const isOn = read.filters[name] === value;
              const filters = { ...read.filters, [name]: isOn ? undefined : value };
              return (
                <li key={value}>
                  <a
                    aria-current={isOn ? 'true' : undefined}
                    href={addressOf({ ...query, page: undefined, q: writeQuery({ ...read, filters }) })}
                  >
                    <bdi>{label.slice(0, labelLength)}</bdi> <span class="count">{count}</span>
                  </a>
                </li>
              );
            })}
          </ul>
        );
      })}
    </aside>
  );
}
