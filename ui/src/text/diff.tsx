import { diffWordsWithSpace } from 'diff';
import { ForeignText } from './foreign-text.tsx';

/** Above this the texts are shown one after the other: comparing words takes the square of their number. */
const comparedMax = 20_000;

/** What changed from one text to another, word by word. */
export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const isLong = before.length + after.length > comparedMax;
  const parts = isLong
    ? [
        { value: before, removed: true, added: false },
        { value: after, removed: false, added: true },
      ]
    : diffWordsWithSpace(before, after);
  return (
    <div class="content diff">
      {parts.map(({ value, added, removed }, i) => {
        const text = <ForeignText text={value} />;
        const key = `${i} ${value.length}`;
        if (added) return <ins key={key}>{text}</ins>;
        return removed ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
      })}
    </div>
  );
}
