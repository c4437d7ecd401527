import { useLocation } from 'preact-iso';
import type { Findings, Page, TrashEntry } from '../api/records.ts';
import { useQuery } from '../api/use-query.ts';
import { count, words } from '../words/words.ts';

/** What is reviewed unasked: below it most is wrong. */
export const reviewedFrom = 0.5;

const views = [
  ['timeline', '/ui/'],
  ['search', '/ui/search'],
  ['review', '/ui/review'],
  ['live', '/ui/live'],
  ['graph', '/ui/graph'],
  ['people', '/ui/people'],
  ['facts', '/ui/facts'],
  ['topics', '/ui/topics'],
  ['briefing', '/ui/briefing'],
  ['import', '/ui/import'],
  ['trash', '/ui/trash'],
  ['service', '/ui/service'],
] as const;

export function Rail() {
  const { path, query } = useLocation();
  const time = query.asOf === undefined ? '' : `?asOf=${encodeURIComponent(query.asOf)}`;
  const trash = useQuery<Page<TrashEntry>>({ path: '/api/trash', query: { limit: 1 } }, { isBeside: true });
  const found = useQuery<Findings>(
    { path: '/api/relationships', query: { limit: 1, minConfidence: reviewedFrom } },
    { isBeside: true },
  );
  const counts: Readonly<Record<string, number>> = {
    trash: trash.data?.pagination.count ?? 0,
    review: found.data?.pagination.count ?? 0,
  };
  const here = path.replace(/\/$/, '');
  return (
    <nav aria-label="memoryd">
      {views.map(([view, address]) => (
        <a
          key={view}
          href={`${address}${time}`}
          aria-current={here === address.replace(/\/$/, '') ? 'page' : undefined}
        >
          {words().views[view]}
          {counts[view] ? <span class="count">{count(counts[view])}</span> : null}
        </a>
      ))}
    </nav>
  );
}
