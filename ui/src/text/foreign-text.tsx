import { useMemo, useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { type Part, partsOf } from './parts.ts';

/** What is shown of a text before somebody asks for the rest, in UTF-16 units. */
const shownLength = 4000;

interface Props {
  readonly text: string;
  readonly hits?: readonly { readonly start: number; readonly end: number }[];
  /** All of it, however long. */
  readonly isWhole?: boolean;
}

/** A text from a memory: never HTML, in a direction of its own, with what is hidden in it made visible. */
export function ForeignText({ text, hits = [], isWhole = false }: Props) {
  const [isOpen, open] = useState(isWhole);
  const shown = isOpen ? text : text.slice(0, shownLength);
  const parts = useMemo(() => partsOf(shown, hits), [shown, hits]);
  return (
    <bdi class="foreign">
      {parts.map(shownPart)}
      {shown.length < text.length && (
        <button type="button" class="more" onClick={() => open(true)}>
          {words().more(text.length - shown.length)}
        </button>
      )}
    </bdi>
  );
}

function shownPart(part: Part) {
  if (part.kind === 'hit') return <mark>{part.text}</mark>;
  if (part.kind === 'mark')
    return (
      <span class="unseen" title={words().unseen}>
        {part.text}
      </span>
    );
  if (part.kind === 'link')
    return (
      <a href={part.text} target="_blank" rel="noopener noreferrer" title={part.host}>
        {part.text}
      </a>
    );
  return part.text;
}
