import { useEffect, useLayoutEffect } from 'preact/hooks';
import { LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { isLookingBack, session } from '../api/session.ts';
import { SearchView } from '../views/search.tsx';
import { TimelineView } from '../views/timeline.tsx';
import { words } from '../words/words.ts';
import { AsOf } from './as-of.tsx';
import { Keys } from './keys.tsx';
import { QueryBar } from './query-bar.tsx';
import { Rail } from './rail.tsx';
import { SignIn } from './sign-in.tsx';
import { UndoBar } from './undo-bar.tsx';

const MemoryView = lazy(() => import('../views/memory.tsx').then(({ MemoryView: view }) => view));
const TrashView = lazy(() => import('../views/trash.tsx').then(({ TrashView: view }) => view));
const ServiceView = lazy(() => import('../views/service.tsx').then(({ ServiceView: view }) => view));
const ReviewView = lazy(() => import('../views/review.tsx').then(({ ReviewView: view }) => view));
const LiveView = lazy(() => import('../views/live.tsx').then(({ LiveView: view }) => view));
const GraphView = lazy(() => import('../views/graph.tsx').then(({ GraphView: view }) => view));
const PeopleView = lazy(() => import('../views/tables/people.tsx').then(({ PeopleView: view }) => view));
const FactsView = lazy(() => import('../views/tables/facts.tsx').then(({ FactsView: view }) => view));
const TopicsView = lazy(() => import('../views/tables/topics.tsx').then(({ TopicsView: view }) => view));
const BriefingView = lazy(() => import('../views/briefing.tsx').then(({ BriefingView: view }) => view));
const ImportView = lazy(() => import('../views/import.tsx').then(({ ImportView: view }) => view));

const later = [MemoryView, TrashView, ServiceView, PeopleView, FactsView, TopicsView];

/** Every view by its address; a view that is not opened at first is a chunk of its own. */
export function App() {
  // Views are there when they are opened, even if the service is not.
  useEffect(() => {
    if (session.value !== undefined) for (const view of later) void view.preload().catch(() => undefined);
  }, [session.value]);
  if (session.value === undefined) return <SignIn />;
  return (
    <LocationProvider scope="/ui">
      <a class="skip" href="#content">
        {words().skip}
      </a>
      <header>
        <a class="brand" href="/ui/">
          memoryd
        </a>
        <QueryBar />
      </header>
      <Rail />
      <Main />
      <UndoBar />
      <Keys />
    </LocationProvider>
  );
}

/** The view of the address, as of its time. */
function Main() {
  const { asOf } = useLocation().query;
  useLayoutEffect(() => {
    isLookingBack.value = asOf !== undefined;
  }, [asOf]);
  return (
    <main id="content" tabIndex={-1} class={asOf ? 'looking-back' : undefined}>
      <AsOf />
      <Router>
        <Route path="/ui" component={TimelineView} />
        <Route path="/ui/search" component={SearchView} />
        <Route path="/ui/m/:id" component={MemoryView} />
        <Route path="/ui/review" component={ReviewView} />
        <Route path="/ui/live" component={LiveView} />
        <Route path="/ui/graph" component={GraphView} />
        <Route path="/ui/people" component={PeopleView} />
        <Route path="/ui/facts" component={FactsView} />
        <Route path="/ui/topics" component={TopicsView} />
        <Route path="/ui/briefing" component={BriefingView} />
        <Route path="/ui/import" component={ImportView} />
        <Route path="/ui/trash" component={TrashView} />
        <Route path="/ui/service" component={ServiceView} />
        <Route default component={NotFound} />
      </Router>
    </main>
  );
}

function NotFound() {
  return <h1 class="empty">{words().notFound}</h1>;
}
