import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { words } from '../words/words.ts';
import { undo } from './undo-bar.tsx';

type ActsByKey = Readonly<Record<string, () => void>>;

/** Acts of the parts of the view that is open. */
const ofView = new Set<ActsByKey>();

const place = 'memoryd.single-keys';
const areOn = signal(localStorage.getItem(place) !== 'off');
const goes: Readonly<Record<string, string>> = {
  t: '/ui/',
  s: '/ui/search',
  r: '/ui/review',
  l: '/ui/live',
  g: '/ui/graph',
  p: '/ui/people',
  f: '/ui/facts',
  o: '/ui/topics',
  b: '/ui/briefing',
  i: '/ui/import',
  x: '/ui/trash',
  v: '/ui/service',
};

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Moves the focus by rows: elements with `data-row`. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (step === 1 ? 0 : rows.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Keys of the whole page; none acts in a field, and all can be switched off. */
export function Keys() {
  const { route, query } = useLocation();
  const { asOf } = query;
  const help = useRef<HTMLDialogElement>(null);
  const awaitsPlace = useRef(false);
  useEffect(() => {
    const acts: Readonly<Record<string, () => void>> = {
      '/': () => document.getElementById('query')?.focus(),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      z: () => void undo(),
      '?': () => help.current?.showModal(),
      g: () => {
        awaitsPlace.current = true;
      },
    };
    const onKey = (event: KeyboardEvent) => {
      if (!areOn.value || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      const goal = awaitsPlace.current ? goes[event.key] : undefined;
      awaitsPlace.current = false;
      const chosen =
        goal === undefined
          ? ([...ofView].find((keys) => keys[event.key])?.[event.key] ?? acts[event.key])
          : () => route(asOf === undefined ? goal : `${goal}?asOf=${encodeURIComponent(asOf)}`);
      if (!chosen) return;
      event.preventDefault();
      chosen();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [route, asOf]);
  const toggle = () => {
    areOn.value = !areOn.value;
    localStorage.setItem(place, areOn.value ? 'on' : 'off');
  };
  return (
    <dialog ref={help} aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">{words().keysHelp}</h2>
        <dl class="keys">
          {Object.entries(words().keys).map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <label>
          <input type="checkbox" checked={areOn.value} onChange={toggle} /> {words().singleKeys}
        </label>
        <button type="submit">{words().dismiss}</button>
      </form>
    </dialog>
  );
}

/** Gives the keys of a part of the page while it is open. */
export function useViewKeys(keys: ActsByKey): void {
  // With the rows that they act on, not after they are painted: a key pressed in between would do nothing.
  useLayoutEffect(() => {
    ofView.add(keys);
    return () => ofView.delete(keys);
  });
}
