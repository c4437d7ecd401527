import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

type Parameters = Readonly<Record<string, string | undefined>>;

/** The state of a table, which is its address: a link or a reload shows the same rows. */
export function useTableAddress() {
  const { path, query, route } = useLocation();
  const change = (next: Parameters) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries<string | undefined>({ ...query, ...next }))
      if (value) parameters.set(name, value);
    const text = parameters.toString();
    route(text === '' ? path : `${path}?${text}`, true);
  };
  const { sortBy, order } = query as { readonly sortBy?: string; readonly order?: 'asc' | 'desc' };
  return { query: query as Parameters, sortBy, order, change };
}

/** A pause of typing after which the list is asked for, in ms. */
const typingMs = 200;

/** Calls `act` with the last value, once no other came for a while. */
export function useAfterTyping(act: (value: string) => void): (value: string) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef(act);
  last.current = act;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (value) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => last.current(value), typingMs);
  };
}
