import { useLocation } from 'preact-iso';
import type { Page, TrashEntry } from '../api/records.ts';
import { useQuery } from '../api/use-query.ts';
import { count, words } from '../words/words.ts';

const views = [
  ['timeline', '/ui/'],
  ['search', '/ui/search'],
  ['people', '/ui/people'],
  ['facts', '/ui/facts'],
  ['topics', '/ui/topics'],
  ['trash', '/ui/trash'],
  ['service', '/ui/service'],
] as const;

export function Rail() {
  const { path } = useLocation();
  const trash = useQuery<Page<TrashEntry>>({ path: '/api/trash', query: { limit: 1 } }, { isBeside: true });
  const inTrash = trash.data?.pagination.count ?? 0;
  const here = path.replace(/\/$/, '');
  return (
    <nav aria-label="memoryd">
      {views.map(([view, address]) => (
        <a key={view} href={address} aria-current={here === address.replace(/\/$/, '') ? 'page' : undefined}>
          {words().views[view]}
          {view === 'trash' && inTrash > 0 && <span class="count">{count(inTrash)}</span>}
        </a>
      ))}
    </nav>
  );
}
