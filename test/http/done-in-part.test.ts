import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movedAtOnce } from '../../src/domain/conversations/conversation-mover.ts';
import { AppError } from '../../src/domain/shared/errors.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';
import { withMembers } from '../support/with-members.ts';

type One = { data: { id: string; conversationId: string } };

const nothingStored = 'The disk is full: nothing was stored.';

describe.each(engines)('a change of several transactions on a disk that fills up on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_TRASH_DAYS: '0' });
  let http: Client;
  let restore = () => {};

  beforeEach(async () => {
    http = await app.newClient();
  });
  afterEach(() => restore());

  /** From now on `done` transactions succeed, and no later one. */
  function fillDiskAfter(done: number): void {
    const { storage } = app;
    const forUser = storage.forUser.bind(storage);
    let begun = 0;
    storage.forUser = (user) => {
      const own = forUser(user);
      const transaction: typeof own.transaction = async (body) => {
        if (begun++ >= done) throw new AppError('STORAGE_FULL', nothingStored, { retryAfter: 5 });
        return own.transaction(body);
      };
      return withMembers(own, { transaction });
    };
    restore = () => {
      storage.forUser = forUser;
    };
  }

  const create = async (body: object) =>
    (await http.post<One>('/api/memories', { conversationId: 'NEW', ...body })).body.data;
  const statusOf = async (path: string) => (await http.get(path)).status;
  const trashed = async () => (await http.get<{ data: unknown[] }>('/api/trash')).body.data.length;

  it('a delete that was not stored says so, and the memory is there', async () => {
    const { id } = await create({ content: 'the okapi sleeps' });
    fillDiskAfter(0);
    const reply = await http.delete<{ error: string }>(`/api/memories/${id}`);
    expect([reply.status, reply.body.error]).toEqual([503, nothingStored]);
    restore();
    expect(await statusOf(`/api/memories/${id}`)).toBe(200);
  });

  it.each([1, 2, 3, 4])(
    'a delete for good that fails after %i transactions says that the delete is done, and is completed later',
    async (done) => {
      const { id } = await create({ content: 'the okapi sleeps' });
      fillDiskAfter(done);
      const reply = await http.delete<{ error: string; retryAfter: number }>(`/api/memories/${id}`);
      expect(reply.status).toBe(503);
      expect(reply.body).toMatchObject({
        code: 'STORAGE_FULL',
        retryAfter: 5,
        error:
          'The delete is done, but not all of the text is erased from the store yet, since the disk is full.',
      });
      restore();
      expect(await statusOf(`/api/memories/${id}`)).toBe(404);
      await app.services.trash.eraseDue();
      expect(await trashed()).toBe(0);
    },
  );

  it('a delete of a large conversation says that it is deleted, and is completed later', async () => {
    const { conversationId } = await create({ content: 'okapi' });
    await mapConcurrently([...Array(movedAtOnce + 5).keys()], 16, (i) =>
      create({ content: `okapi ${i}`, conversationId }),
    );
    fillDiskAfter(1);
    const reply = await http.delete<{ error: string }>(`/api/conversations/${conversationId}`);
    expect(reply.status).toBe(503);
    expect(reply.body.error).toBe(
      'The conversation is deleted, but not all of its memories are in the trash yet, since the disk is full.',
    );
    restore();
    expect(await statusOf(`/api/conversations/${conversationId}`)).toBe(404);
    await app.services.trash.eraseDue();
    expect(await trashed()).toBe(0);
  });

  it('a merge of topics says that it has begun, and the same request completes it', async () => {
    const { id } = await create({ content: 'okapi', topics: ['zoo', 'animals'] });
    const merge = () =>
      http.post<{ error: string }>('/api/topics/merge', { sourceTopicId: 'zoo', targetTopicId: 'animals' });
    fillDiskAfter(1);
    const reply = await merge();
    expect([reply.status, reply.body.error]).toEqual([
      503,
      'The change of the topics has begun, but is not complete yet, since the disk is full.',
    ]);
    restore();
    expect((await merge()).status).toBe(200);
    const { body } = await http.get<{ data: { topics: string[] } }>(`/api/memories/${id}`);
    expect(body.data.topics).toEqual(['animals']);
  });
});
