import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Query } from '../../api/client.ts';
import { mayWrite } from '../../api/session.ts';
import { usePages } from '../../api/use-pages.ts';
import { useViewKeys } from '../../frame/keys.tsx';
import { More, Shown } from '../../frame/states.tsx';
import { count, words } from '../../words/words.ts';
import { useAfterTyping, useTableAddress } from './table-address.ts';

export interface Column<T> {
  readonly name: string;
  readonly cell: (item: T) => ComponentChildren;
  /** Its name for `sortBy`, and the order of the first click. */
  readonly sort?: { readonly by: string; readonly first: 'asc' | 'desc' };
}

/** A field whose text filters the table, once no other came for a while. */
export function FilterField({
  value,
  lengthMax,
  change,
}: {
  readonly value: string | undefined;
  readonly lengthMax: number;
  readonly change: (value: string) => void;
}) {
  const search = useAfterTyping(change);
  return (
    <label>
      {words().tables.filter}{' '}
      <input
        type="search"
        defaultValue={value ?? ''}
        maxLength={lengthMax}
        onInput={(event) => search(event.currentTarget.value)}
      />
    </label>
  );
}

interface TableProps<T> {
  readonly title: string;
  readonly path: string;
  readonly query: Query;
  readonly columns: readonly Column<T>[];
  /** The order without `sortBy`. */
  readonly sortedBy: string;
  readonly nameOf: (item: T) => string;
  readonly details?: (item: T, close: () => void) => ComponentChildren;
  /** The second one becomes a part of the first. */
  readonly merge?: (stays: T, goes: T) => Promise<void>;
  readonly remove?: (item: T) => Promise<void>;
}

/** A list with its order, rows that unfold, and two that are selected to be merged. */
export function Table<T extends { readonly id: string }>(props: TableProps<T>) {
  const { path, query, columns, merge, remove, details } = props;
  const { sortBy, order } = useTableAddress();
  const pages = usePages<T>(path, { ...query, sortBy, order });
  const [opened, open] = useState<string>();
  const [chosen, choose] = useState<readonly T[]>([]);
  const toggle = (item: T) => {
    const others = chosen.filter(({ id }) => id !== item.id);
    choose(others.length < chosen.length ? others : [...chosen, item].slice(-2));
  };
  const [stays, goes] = chosen;
  const mergeChosen = async () => {
    if (!merge || !stays || !goes) return;
    choose([]);
    await merge(stays, goes);
  };
  const removeClosed = (item: T) => {
    // What is unfolded would be asked for once more, of a record that is gone.
    open(undefined);
    void remove?.(item);
  };
  const onFocused = (act: (item: T) => void) => () => {
    const id = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.id;
    const item = pages.data?.find((one) => one.id === id);
    if (item) act(item);
  };
  useViewKeys(
    mayWrite.value
      ? {
          ...(merge && { x: onFocused(toggle), m: () => void mergeChosen() }),
          ...(details && { e: onFocused(({ id }) => open(id)) }),
          ...(remove && { '#': onFocused(removeClosed) }),
        }
      : {},
  );
  const canMerge = merge !== undefined && mayWrite.value;
  const width = columns.length + (canMerge ? 1 : 0) + (details ? 1 : 0);
  return (
    <>
      <p class="bar">
        <span class="hint">{count(pages.count)}</span>
        {canMerge && stays && goes ? (
          <button type="button" onClick={() => void mergeChosen()}>
            {words().tables.mergeInto} <bdi>{props.nameOf(goes)}</bdi> {words().tables.into}{' '}
            <bdi>{props.nameOf(stays)}</bdi> <kbd>m</kbd>
          </button>
        ) : (
          canMerge && <span class="hint">{words().tables.mergeHint}</span>
        )}
      </p>
      <Shown of={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">{words().tables.none}</p>
          ) : (
            <div class="scroll">
              <table aria-label={props.title}>
                <Head {...props} canMerge={canMerge} />
                <tbody>
                  {rows.map((item) => (
                    <Row
                      key={item.id}
                      {...props}
                      item={item}
                      width={width}
                      isOpen={opened === item.id}
                      open={(isOpen) => open(isOpen ? item.id : undefined)}
                      isChosen={chosen.some(({ id }) => id === item.id)}
                      toggle={canMerge ? () => toggle(item) : undefined}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      <More of={pages} />
    </>
  );
}

function Head<T>({ columns, sortedBy, details, canMerge }: TableProps<T> & { readonly canMerge: boolean }) {
  const { sortBy = sortedBy, order, change } = useTableAddress();
  return (
    <thead>
      <tr>
        {canMerge && <td />}
        {details && <td />}
        {columns.map(({ name, sort }) => {
          const isSorted = sort !== undefined && sort.by === sortBy;
          const now = isSorted ? (order ?? sort.first) : undefined;
          const next = now === undefined ? sort?.first : now === 'asc' ? 'desc' : 'asc';
          return (
            <th
              key={name}
              scope="col"
              aria-sort={now === undefined ? undefined : now === 'asc' ? 'ascending' : 'descending'}
            >
              {sort === undefined ? (
                name
              ) : (
                <button type="button" class="quiet" onClick={() => change({ sortBy: sort.by, order: next })}>
                  {name} <span aria-hidden="true">{arrows[now ?? 'none']}</span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const arrows = { asc: '\u2191', desc: '\u2193', none: '' } as const;

interface RowProps<T> extends TableProps<T> {
  readonly item: T;
  readonly width: number;
  readonly isOpen: boolean;
  readonly open: (isOpen: boolean) => void;
  readonly isChosen: boolean;
  readonly toggle: (() => void) | undefined;
}

function Row<T extends { readonly id: string }>(props: RowProps<T>) {
  const { item, columns, nameOf, details, isOpen, open, isChosen, toggle, width } = props;
  const text = words().tables;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === event.currentTarget) open(!isOpen);
  };
  return (
    <>
      <tr data-row data-id={item.id} tabIndex={-1} onKeyDown={onKeyDown}>
        {toggle && (
          <td>
            <input
              type="checkbox"
              aria-label={`${text.select} ${nameOf(item)}`}
              checked={isChosen}
              onChange={toggle}
            />
          </td>
        )}
        {details && (
          <td>
            <button
              type="button"
              class="quiet"
              aria-expanded={isOpen}
              aria-label={`${text.details} ${nameOf(item)}`}
              onClick={() => open(!isOpen)}
            >
              {isOpen ? '\u25be' : '\u25b8'}
            </button>
          </td>
        )}
        {columns.map(({ name, cell }) => (
          <td key={name}>{cell(item)}</td>
        ))}
      </tr>
      {isOpen && details && (
        <tr class="details">
          <td colSpan={width}>{details(item, () => open(false))}</td>
        </tr>
      )}
    </>
  );
}
