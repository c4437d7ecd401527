import { isLeftOut } from '../../../src/cli/import/statement.ts';
import { ForeignText } from '../text/foreign-text.tsx';
import { words } from '../words/words.ts';
import { Reason } from './reason.tsx';
import { close, type Dropped, start } from './run.ts';
import type { Item } from './statements.ts';

/** Shown of one value or text, in UTF-16 units. */
const shownLength = 300;

interface Props {
  readonly of: Dropped;
}

/** The first memories of a file, and what becomes of their fields. */
export function Preview({ of: { layout, first } }: Props) {
  const text = words().import;
  const canStart = layout === 'lines' || layout === 'list';
  return (
    <>
      <p role="status">
        {text.layouts[layout]} {canStart && <span class="hint">{text.phases.chosen}</span>}
      </p>
      <div class="bar">
        {canStart && (
          <button type="button" onClick={() => void start()}>
            {text.start}
          </button>
        )}
        <button type="button" class="quiet" onClick={close}>
          {text.close}
        </button>
      </div>
      {canStart && (
        <>
          <h3>{text.first}</h3>
          <ol class="plain">
            {first.map((item) => (
              <li key={item.number} value={item.number} data-preview>
                {'refusal' in item.content ? (
                  <span class="failure">
                    <Reason reason={item.content.refusal} />
                  </span>
                ) : (
                  <ForeignText text={shownValue(item.content.body.content)} />
                )}
              </li>
            ))}
          </ol>
          <Fields layout={layout} first={first} />
        </>
      )}
    </>
  );
}

const shownValue = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, shownLength);

/** The names of the fields in the order in which they come, each with its first value. */
function fieldsOf(items: readonly Item[]): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const { content } of items)
    if (!('refusal' in content))
      for (const [name, value] of Object.entries(content.given))
        if (!fields.has(name) && value !== null) fields.set(name, value);
  return fields;
}

function Fields({ layout, first }: Pick<Dropped, 'layout' | 'first'>) {
  const text = words().import;
  const fields = [...fieldsOf(first)].slice(0, fieldsMax);
  const becomes = (name: string) =>
    (layout === 'list' && isLeftOut(name)) || !Object.hasOwn(text.becomes, name)
      ? undefined
      : text.becomes[name];
  return (
    <>
      <h3>{text.fields}</h3>
      <table class="import-fields">
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.becomesHeading}</th>
            <th scope="col">{text.example}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(([name, value]) => (
            <tr key={name} data-field={name}>
              <td>
                <ForeignText text={name.slice(0, shownLength)} />
              </td>
              <td>{becomes(name) ?? <em>{text.leftOut}</em>}</td>
              <td>
                <ForeignText text={shownValue(value)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const fieldsMax = 60;
