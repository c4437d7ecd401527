import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, ask } from '../api/client.ts';
import type { Memory } from '../api/records.ts';
import { act } from '../frame/undo-bar.tsx';
import { Diff } from '../text/diff.tsx';
import { words } from '../words/words.ts';

interface Props {
  readonly memory: Memory;
  readonly onEnd: () => void;
}

/** Begun texts by memory: a key that ends takes the form away, and another view does. */
const drafts = new Map<string, string>();

export const hasDraft = (id: string) => drafts.has(id);

/** Saves a new version, unless somebody else saved one since: then both are shown, and nothing is lost. */
export function EditMemory({ memory, onEnd: close }: Props) {
  const [content, setContent] = useState(drafts.get(memory.id) ?? memory.content);
  const [etag, setEtag] = useState<string | undefined>();
  const [theirs, setTheirs] = useState<string | undefined>();
  const field = useRef<HTMLTextAreaElement>(null);
  const path = `/api/memories/${memory.id}`;
  const text = words().memory;
  useEffect(() => {
    field.current?.focus();
    // The tag of what is edited: read once, when the edit begins.
    void ask<{ data: Memory }>({ path }).then(({ body, headers }) => {
      setEtag(headers.get('etag') ?? undefined);
      if (body.data.content !== memory.content) setTheirs(body.data.content);
    });
  }, [path]);
  const onEnd = () => {
    drafts.delete(memory.id);
    close();
  };
  const put = (value: string, ifMatch?: string) =>
    ask({ method: 'PUT', path, body: { content: value }, ifMatch });
  const save = async (event: Event) => {
    event.preventDefault();
    const before = theirs ?? memory.content;
    await act(text.saved, async () => {
      try {
        await put(content, etag);
      } catch (error) {
        if (!(error instanceof ApiFailure && error.status === 412)) throw error;
        const now = await ask<{ data: Memory }>({ path });
        setTheirs(now.body.data.content);
        setEtag(now.headers.get('etag') ?? undefined);
        throw new Error(text.conflict);
      }
      onEnd();
      return () => put(before);
    });
  };
  return (
    <form class="edit" onSubmit={(event) => void save(event)}>
      <textarea
        ref={field}
        aria-label={text.edit}
        rows={Math.min(24, 3 + content.split('\n').length)}
        value={content}
        onInput={({ currentTarget: { value } }) => {
          drafts.set(memory.id, value);
          setContent(value);
        }}
      />
      {theirs !== undefined && (
        <div role="alert">
          <p>{text.conflict}</p>
          <Diff before={content} after={theirs} />
        </div>
      )}
      <div class="bar">
        <button type="submit">{theirs === undefined ? text.save : text.overwrite}</button>
        <button type="button" onClick={onEnd}>
          {theirs === undefined ? text.cancel : text.takeTheirs}
        </button>
      </div>
    </form>
  );
}
