import { describe, expect, it } from 'vitest';
import { runMemoryd } from '../support/server.ts';

const noStore = 'sqlite:./none.db';
const textOf = async (...words: string[]) => (await runMemoryd(noStore, words)).stdout;

describe('the help of the command line', () => {
  it('the help of the command line describes every command as the command describes itself', async () => {
    const list = (await textOf('--help')).replace(/^.*?\nMemories:\n/s, '').replaceAll(/^\S.*:\n/gm, '');
    const lines = list.trim().split(/\n+ {2}(?=\S)/);
    const names = lines.map((line) => line.trim().split(' ')[0]).filter((name) => name !== 'help');
    expect(names).toEqual(expect.arrayContaining(['add', 'serve', 'users', 'import']));
    const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
    const wrong = names.map(async (name) => {
      const own = await textOf(name, '--help');
      const [usage, description = ''] = own.split('\n\n');
      const isListed = plain(list).includes(`${name} ${plain(description)}`);
      return isListed && usage.includes(`memoryd ${name}`) ? [] : [own];
    });
    expect((await Promise.all(wrong)).flat()).toEqual([]);
    expect(await textOf('help', 'users')).toBe(await textOf('users', '--help'));
  });

  it('the help of the command line says which command was probably meant', async () => {
    const done = await runMemoryd(noStore, ['user', 'list']);
    expect(done).toMatchObject({ code: 2 });
    expect(done.stderr).toContain('users');
  });
});
