import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { idIn } from '../search/query-language.ts';
import { words } from '../words/words.ts';

/** One bar for all: an id opens a memory, anything else searches. */
export function QueryBar() {
  const { query, path, route } = useLocation();
  const field = useRef<HTMLInputElement>(null);
  const shown = path.startsWith('/ui/search') ? (query.q ?? '') : '';
  useEffect(() => {
    if (field.current) field.current.value = shown;
  }, [shown]);
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = field.current?.value.trim() ?? '';
    const id = idIn(typed);
    if (id !== undefined) return route(addressOf({ asOf: query.asOf }, `/ui/m/${id}`));
    const kept = path.startsWith('/ui/search') ? { ...query, page: undefined } : { asOf: query.asOf };
    route(addressOf({ ...kept, q: typed }));
  };
  return (
    <search>
      <form onSubmit={submit}>
        <input
          ref={field}
          id="query"
          type="search"
          name="q"
          autocomplete="off"
          spellcheck={false}
          aria-label={words().searchLabel}
          placeholder={words().queryBar}
        />
      </form>
    </search>
  );
}

/** The address of a search; undefined and empty values are left out. */
export function addressOf(query: Readonly<Record<string, string | undefined>>, path = '/ui/search'): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
