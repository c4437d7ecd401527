import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SearchResponse, SearchResult } from '../api/records.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { addressOf } from '../frame/query-bar.tsx';
import { Shown } from '../frame/states.tsx';
import { filterNames, readQuery, toSearch, writeQuery } from '../search/query-language.ts';
import { partsOfScore } from '../search/score-parts.ts';
import { rangesOf } from '../text/parts.ts';
import { moment, share, words } from '../words/words.ts';
import { MemoryRow } from './memory-row.tsx';

const methods = ['hybrid', 'keyword', 'semantic'] as const;
const modes = ['current', 'historical', 'evolution'] as const;
const pageSize = 20;

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
        includeFacets: true,
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
    <section class={query.asOf ? 'looking-back' : undefined} aria-labelledby="search-title">
      <div class="bar">
        <h1 id="search-title">{words().views.search}</h1>
        <Choice
          label={text.method}
          names={methods}
          value={query.method}
          onChange={(method) => go({ method })}
        />
        <Choice label={text.mode} names={modes} value={query.mode} onChange={(mode) => go({ mode })} />
        <label>
          {text.asOf}{' '}
          <input
            type="date"
            value={query.asOf?.slice(0, 10) ?? ''}
            onChange={(event) => go({ asOf: event.currentTarget.value || undefined })}
          />
        </label>
      </div>
      {query.asOf && (
        <p class="note">
          {text.lookingBack(query.asOf)}{' '}
          <button type="button" onClick={() => go({ asOf: undefined })}>
            {text.backToNow}
          </button>
        </p>
      )}
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

function Results({ response, page }: { readonly response: SearchResponse; readonly page: number }) {
  const { query, route } = useLocation();
  const { meta, data, facets } = response;
  const [why, setWhy] = useState<string | undefined>();
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
  return (
    <>
      <p class="hint">
        {text.found(meta.total, meta.searchTime)}{' '}
        {timed && text.timed([timed.from, timed.to].flatMap((at) => (at ? [moment(at)] : [])).join(' - '))}
      </p>
      {data.length === 0 && <NothingFound best={meta.bestRelevance ?? undefined} />}
      <div class="found">
        {facets && data.length > 0 && <Facets facets={facets as never} />}
        <ol start={(page - 1) * pageSize + 1}>
          {data.map((hit) => (
            <li key={hit.id} data-hit={hit.id}>
              <MemoryRow
                memory={hit}
                hasDay
                text={hit.preview ?? hit.content}
                hits={rangesOf(hit.preview ?? hit.content, hit.explanation?.matchedTerms ?? [])}
              />
              <span class="relevance">{share(hit.relevance ?? 0)}</span>
              <button
                type="button"
                class="quiet"
                aria-expanded={why === hit.id}
                onClick={() => setWhy(why === hit.id ? undefined : hit.id)}
              >
                {text.why}
              </button>
              {why === hit.id && <Why hit={hit} />}
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
    </>
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

/** The parts of the score as bars, largest first; what counted against it to the left. */
function Why({ hit }: { readonly hit: SearchResult }) {
  const { explanation } = hit;
  if (!explanation) return null;
  const parts = partsOfScore(explanation.contributingFactors);
  const most = Math.max(...parts.map(({ value }) => Math.abs(value ?? 0)), 0.001);
  return (
    <div class="why">
      <p>{explanation.matchReason}</p>
      <table>
        <tbody>
          {parts.map(({ label, value }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td class="number">{value?.toFixed(3)}</td>
              <td class="track">
                {value !== undefined && (
                  <meter
                    class={value < 0 ? 'against' : undefined}
                    min={0}
                    max={most}
                    value={Math.abs(value)}
                    aria-label={label}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const facetFilters: Readonly<Record<string, 'topic' | 'is' | 'type'>> = {
  topics: 'topic',
  effectiveState: 'is',
  memoryType: 'type',
};

type FacetCounts = Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;

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
          <ul key={facet}>
            {values.slice(0, 12).map(({ value, count }) => {
              const isOn = read.filters[name] === value;
              const filters = { ...read.filters, [name]: isOn ? undefined : value };
              return (
                <li key={value}>
                  <a
                    aria-current={isOn ? 'true' : undefined}
                    href={addressOf({ ...query, page: undefined, q: writeQuery({ ...read, filters }) })}
                  >
                    <bdi>{value}</bdi> <span class="count">{count}</span>
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
