import { useEffect, useState } from 'preact/hooks';
import { mayWrite, session } from '../api/session.ts';
import { usePages } from '../api/use-pages.ts';
import { More, Shown } from '../frame/states.tsx';
import type { ImportRecord } from '../import/imports.ts';
import { Preview } from '../import/preview.tsx';
import { Progress } from '../import/progress.tsx';
import { choose, dropped, restoreImport, undoImport } from '../import/run.ts';
import { moment, words } from '../words/words.ts';
import './import.css';

/** Memories from a file: a look at them first, then progress, and the way back, also of earlier imports. */
export function ImportView() {
  return (
    <section aria-labelledby="import-title">
      <h1 id="import-title">{words().views.import}</h1>
      {mayWrite.value && <Drop />}
      {!(session.value?.scopes.includes('write') ?? false) && <p class="note">{words().readOnly}</p>}
      <Earlier />
    </section>
  );
}

function Drop() {
  const text = words().import;
  const [note, setNote] = useState<string | undefined>();
  const take = async (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (!file) return;
    setNote(files.length > 1 ? text.oneAtATime : undefined);
    try {
      if (!(await choose(file))) setNote(text.another);
    } catch (error) {
      setNote(text.unreadable((error as Error).message));
    }
  };
  useEffect(() => {
    // A browser would open a file that falls next to the field.
    const onOver = (event: DragEvent) => event.preventDefault();
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files);
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  const phase = dropped.value?.phase;
  return (
    <>
      {phase !== 'running' && phase !== 'paused' && (
        <div class="drop">
          <p>{text.drop}</p>
          <label>
            {text.file}{' '}
            <input
              type="file"
              accept=".jsonl,.ndjson,.json"
              onChange={(event) => {
                void take(event.currentTarget.files);
                // The same file can be chosen again.
                event.currentTarget.value = '';
              }}
            />
          </label>
        </div>
      )}
      <p role="alert">{note}</p>
      {dropped.value && (
        <section aria-label={dropped.value.file.name} class="import-file">
          <h2>
            <bdi>{dropped.value.file.name}</bdi>
          </h2>
          {phase === 'chosen' ? <Preview of={dropped.value} /> : <Progress of={dropped.value} />}
        </section>
      )}
    </>
  );
}

function Earlier() {
  const text = words().import;
  const pages = usePages<ImportRecord>('/api/imports', {});
  return (
    <section aria-labelledby="earlier-title">
      <h2 id="earlier-title">{text.earlier}</h2>
      <Shown of={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">{text.none}</p>
          ) : (
            <ul class="entries">
              {rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </ul>
          )
        }
      </Shown>
      <More of={pages} />
    </section>
  );
}

function Row({ row }: { readonly row: ImportRecord }) {
  const text = words().import;
  const [isBusy, setBusy] = useState(false);
  const isUndone = row.undoneAt !== undefined;
  const { importId, phase } = dropped.value ?? {};
  const isOpen = importId === row.id && phase !== 'done';
  const run = async () => {
    setBusy(true);
    await (isUndone ? restoreImport : undoImport)(row.id);
    setBusy(false);
  };
  return (
    <li data-import={row.id} data-row tabIndex={-1}>
      <bdi class="text">{row.source}</bdi>
      <span class="hint">
        {moment(row.createdAt)} {text.created(row.created)}
        {row.updated > 0 && `, ${text.updated(row.updated)}`}
        {row.keptEdits > 0 && `, ${text.keptEdit(row.keptEdits)}`}
        {row.unchanged > 0 && `, ${text.existing(row.unchanged)}`}
        {row.inTrash > 0 && `, ${text.inTrash(row.inTrash)}`}
        {row.refused > 0 && `, ${text.refused(row.refused)}`}
        {row.undoneAt !== undefined && `, ${text.undoneAt(moment(row.undoneAt))}`}
      </span>
      {mayWrite.value && row.created + row.updated > 0 && !isOpen && (
        <button type="button" disabled={isBusy} onClick={() => void run()}>
          {isBusy ? text.working : isUndone ? text.restore : text.undo}
        </button>
      )}
    </li>
  );
}
