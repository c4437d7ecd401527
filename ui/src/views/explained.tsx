import type { SearchResponse, SearchResult } from '../api/records.ts';
import { words } from '../words/words.ts';
import { addressOfMemory } from './memory-row.tsx';

type Part = NonNullable<SearchResult['explanation']>['parts'][number];

/** The parts of a score as bars, largest first; what counts against it to the left. */
export function ScoreParts({ parts }: { readonly parts: readonly Part[] }) {
  const most = Math.max(...parts.map(({ value }) => Math.abs(value)), 0.001);
  return (
    <table>
      <tbody>
        {parts.map(({ key, label, value }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td class="number">{value.toFixed(3)}</td>
            <td class="track">
              <meter
                class={value < 0 ? 'against' : undefined}
                min={0}
                max={most}
                value={Math.abs(value)}
                aria-label={label}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ComparedProps {
  readonly parts: readonly Part[];
  readonly others: readonly Part[];
  /** Of both results, from 1. */
  readonly ranks: readonly number[];
}

/** The parts of two scores side by side, what differs most first. */
export function ComparedParts({ parts, others, ranks }: ComparedProps) {
  const labels = new Map([...others, ...parts].map(({ key, label }) => [key, label]));
  const valueIn = (of: readonly Part[], key: string) => of.find((part) => part.key === key)?.value ?? 0;
  const rows = [...labels]
    .map(([key, label]) => ({ label, one: valueIn(parts, key), other: valueIn(others, key) }))
    .sort((a, b) => Math.abs(b.one - b.other) - Math.abs(a.one - a.other));
  const text = words().explained;
  return (
    <table data-compared>
      <thead>
        <tr>
          <th scope="col">{words().search.factor}</th>
          {ranks.map((rank) => (
            <th key={rank} scope="col">
              {text.rank(rank)}
            </th>
          ))}
          <th scope="col">{text.difference}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, one, other }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {[one, other, one - other].map((value, i) => (
              <td key={i} class="number">
                {value.toFixed(3)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Explained = NonNullable<SearchResponse['explained']>;

/** Where one memory was found by a search, or why it was not. */
export function ExplainedMemory({ explained }: { readonly explained: Explained }) {
  const { memoryId, status, reason, filters = [], arms = [], missingWords = [], explanation } = explained;
  const text = words().explained;
  return (
    <section class="explained" aria-labelledby="explained-title">
      <h2 id="explained-title">
        {text.title} <a href={addressOfMemory(memoryId)}>{memoryId.slice(0, 8)}</a>{' '}
        <i class="state">{text.status[status]}</i>
      </h2>
      <p>
        <bdi>{reason}</bdi>
      </p>
      {missingWords.length > 0 && (
        <p>
          {text.missing} <bdi>{missingWords.join(', ')}</bdi>
        </p>
      )}
      {filters.length + arms.length > 0 && (
        <dl>
          {filters.map(({ filter, reason: has }) => (
            <div key={filter}>
              <dt>{filter}</dt>
              <dd>
                <bdi>{has}</bdi>
              </dd>
            </div>
          ))}
          {arms.map(({ arm, rank, reason: says }) => (
            <div key={arm}>
              <dt>
                {arm} {rank !== undefined && <span class="count">{text.rank(rank)}</span>}
              </dt>
              <dd>
                <bdi>{says}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {explanation && (
        <div class="why">
          <ScoreParts parts={explanation.parts} />
        </div>
      )}
    </section>
  );
}
