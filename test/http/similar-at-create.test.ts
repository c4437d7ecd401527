import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Created {
  readonly data: { readonly id: string; readonly effectiveState: string };
  readonly meta: { readonly similar?: readonly { id: string; preview: string; kind: string }[] };
}

describe.each(engines)('similar memories in the response of a create on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_DERIVE: 'false' });
  const http = useClient(app);

  const create = async (content: string, extra: object = {}, client = http) => {
    const made = await client.post<Created>('/api/memories', { content, ...extra });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return { id: made.body.data.id, similar: made.body.meta.similar };
  };
  /** Terms of a user are read at the first create, in the background. */
  const begin = async () => {
    const repeated = async () => (await create('Zebras graze near the river.')).similar;
    await expect.poll(repeated).toBeDefined();
  };

  it('another value, the same value and the same text are told apart', async () => {
    await begin();
    const timeout = await create('The gateway timeout defaults to 30 seconds.');
    expect(timeout.similar).toBeUndefined();
    const preview = 'The gateway timeout defaults to 30 seconds.';
    expect((await create('The gateway timeout is 30 seconds.')).similar).toEqual([
      { id: timeout.id, preview, kind: 'sameValue' },
    ]);
    const other = await create('The gateway timeout is 90 seconds now.');
    expect(other.similar).toContainEqual({ id: timeout.id, preview, kind: 'otherValue' });
    expect((await create('the gateway timeout defaults to 30 seconds')).similar).toContainEqual({
      id: timeout.id,
      preview,
      kind: 'duplicate',
    });
  });

  it('at most three are named, none that is superseded or in the trash, and none of another user', async () => {
    await begin();
    const ids: string[] = [];
    for (const hour of [1, 2, 3, 4, 5])
      ids.push((await create(`The nightly backup runs at 0${hour}:00 UTC.`)).id);
    const text = 'The nightly backup runs at 09:00 UTC.';
    expect((await create(text)).similar).toHaveLength(3);
    const left = await create('The nightly backup runs at 10:00 UTC.', { supersedes: ids[4] });
    expect(left.similar?.map(({ id }) => id)).not.toContain(ids[4]);
    for (const id of ids.slice(0, 4)) await http.delete(`/api/memories/${id}`);
    const last = await create('The nightly backup runs at 11:00 UTC.');
    for (const id of ids) expect(last.similar?.map((each) => each.id)).not.toContain(id);
    expect((await create(text, {}, await app.newClient())).similar).toBeUndefined();
  });

  it('supersedes makes a memory outdated, and an unknown id is refused', async () => {
    const { id } = await create('The spare key is under the blue pot.');
    await create('The spare key is with Hana.', { supersedes: id });
    expect(
      (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data,
    ).toMatchObject({
      effectiveState: 'superseded',
    });
    const refused = await http.post('/api/memories', { content: 'More.', supersedes: 'nothing' });
    expect(refused.status).toBe(404);
  });
});
