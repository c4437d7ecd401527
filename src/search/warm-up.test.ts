import { expect, it } from 'vitest';
import type { Memory } from '../domain/memories/memory.ts';
import type { User } from '../domain/users/user.ts';
import { WarmUp } from './warm-up.ts';

const userOf = (id: number) => ({ id, publicId: `p${id}`, name: `u${id}` }) as User;

/** Users with two memories each, of whom one cannot be read where `broken` names them. */
function warmUpOf({
  broken = -1,
  users = 3,
  hasRoom = (): boolean => true,
  isIdle = (): boolean => true,
} = {}) {
  const searched: string[] = [];
  const failed: string[] = [];
  const list = Array.from({ length: users }, (_, i) => userOf(i + 1));
  const warmUp = new WarmUp({
    users: { listRecentlyActive: async (limit) => list.slice(0, limit) },
    search: {
      browse: async (user, { limit, offset }) => {
        if (user.id === broken) throw new Error('unreadable');
        const items = ['"Tea" at 5, (not) coffee: for the guests!', '...'].slice(0, limit);
        return { items: items.map((content) => ({ content }) as Memory), limit, offset, count: 2 };
      },
      search: async (user, { query }) => {
        searched.push(`${user.id} ${query}`);
        return {} as never;
      },
    },
    failures: { failed: (task) => failed.push(task) },
    hasRoom,
    isIdle,
  });
  return { warmUp, searched, failed };
}

it('warming up searches for each of the users who were active last by words of their newest memory', async () => {
  const { warmUp, searched } = warmUpOf({});
  expect(await warmUp.start()).toMatchObject({ users: 3 });
  expect(searched).toEqual([1, 2, 3].map((id) => `${id} Tea at not coffee for the`));
});

it('warming up passes over a user who cannot be searched, which is reported', async () => {
  const { warmUp, searched, failed } = warmUpOf({ broken: 1 });
  expect(await warmUp.start()).toMatchObject({ users: 2 });
  expect(searched).toHaveLength(2);
  expect(failed).toEqual(['warm_up']);
});

it('warming up reads no index that would push out one it read, and none of more than 16 users', async () => {
  let room = 2;
  const bounded = warmUpOf({ hasRoom: () => room-- > 0 });
  expect(await bounded.warmUp.start()).toMatchObject({ users: 2 });
  expect(await warmUpOf({ users: 100 }).warmUp.start()).toMatchObject({ users: 16 });
});

it('warming up then asks as an agent, in pauses of the requests, and reports what fails', async () => {
  let busy = 4;
  const { warmUp, failed } = warmUpOf({ isIdle: () => busy-- < 0 });
  const asked: string[] = [];
  await warmUp.start(async (user, query) => void asked.push(`${user.id} ${query}`));
  await expect.poll(() => asked).toEqual(['1 Tea at not coffee for the']);
  expect(failed).toEqual([]);
  const broken = warmUpOf();
  await broken.warmUp.start(() => Promise.reject(new Error('away')));
  await expect.poll(() => broken.failed).toEqual(['warm_up']);
  const stopped = warmUpOf({ isIdle: () => false });
  await stopped.warmUp.start(async () => void asked.push('late'));
  await stopped.warmUp.stop();
  expect(asked).toHaveLength(1);
});

it('warming up ends where a request comes', async () => {
  let turns = 3;
  const { warmUp, searched } = warmUpOf({ isIdle: () => turns-- > 0 });
  expect((await warmUp.start()).users).toBeLessThan(3);
  expect(searched.length).toBeLessThan(3);
});

it('warming up ends with the search on its way when the service stops', async () => {
  const { warmUp, searched } = warmUpOf({});
  const started = warmUp.start();
  await warmUp.stop();
  expect(searched.length).toBeLessThan(3);
  expect((await started).users).toBeLessThan(3);
});

it('warming up that finds no users reports why', async () => {
  const listRecentlyActive = () => Promise.reject(new Error('away'));
  const { warmUp, failed } = warmUpOf({ users: 0 });
  expect(await warmUp.start()).toMatchObject({ users: 0 });
  expect(failed).toEqual([]);
  const failures: string[] = [];
  const away = new WarmUp({
    users: { listRecentlyActive },
    search: {} as never,
    failures: { failed: (task) => failures.push(task) },
    hasRoom: () => true,
    isIdle: () => true,
  });
  expect(await away.start()).toMatchObject({ users: 0 });
  expect(failures).toEqual(['warm_up']);
});
