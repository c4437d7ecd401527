/**
 * Are derived records right, and worth showing? Derives from texts of four kinds as the service does, and draws entities, facts
 * and topics at random, to be judged by eye.
 * Usage: npm run bench show-less [-- --seed N] [--each N] [--only KIND] [--notes FILE] [--meeting FILE]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readDataSet } from '../bench/locomo/data-set.ts';
import { readTalks } from '../bench/talks/read-talks.ts';
import { randomFrom } from '../test/support/random.ts';
import { deriveAll } from './derive/derive-all.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '28' },
    each: { type: 'string', default: '15' },
    only: { type: 'string' },
    notes: { type: 'string', default: 'lab/data/show-less/notes.txt' },
    meeting: { type: 'string', default: 'lab/data/show-less/meeting.txt' },
  },
});

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean);

/** Texts of users by their id. */
type Users = Readonly<Record<string, readonly string[]>>;

function talks(isOfKind: (id: string) => boolean): Users {
  const all = readTalks().conversations.filter(({ id }) => isOfKind(id));
  return turnsOf(all);
}

function turnsOf(conversations: ReturnType<typeof readTalks>['conversations']): Users {
  return Object.fromEntries(
    conversations.map(({ id, sessions }) => [
      id,
      sessions
        .flatMap(({ turns }) => turns)
        .map(({ speaker, text }) =>
          speaker === '' || id.startsWith('notes') ? text : `${speaker}: ${text}`,
        ),
    ]),
  );
}

/** For measuring only: not part of the project. */
const foreign = (name: string): Users => {
  const path = `../shared/data/${name}-dev.json`;
  return existsSync(path) ? turnsOf(readDataSet(path).conversations.slice(0, 2)) : {};
};

function commits(): string[] {
  const { stdout } = spawnSync('git', ['log', '-n', '300', '--format=%B%x00'], { encoding: 'utf8' });
  return stdout
    .split('\0')
    .map((text) => text.trim())
    .filter(Boolean);
}

const paragraphs = (path: string) =>
  readFileSync(path, 'utf8')
    .replace(/^```.*?^```/gms, '')
    .split(/\n\s*\n|\n(?=[-*] |\d+\. )/)
    .map((part) =>
      part
        .replace(/^\s*(?:[-*]|\d+\.)\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => part.length >= 60 && !/^[|<!]/.test(part));

const changelog = () =>
  linesOf('node_modules/qs/CHANGELOG.md')
    .slice(0, 200)
    .map((line) => line.replace(/^- /, ''));

const kinds: Readonly<Record<string, () => Users>> = {
  notes: () => ({
    developer: linesOf(values.notes).map((line) => line.slice('2026-10-01 '.length)),
    ...talks((id) => id.startsWith('notes')),
  }),
  commits: () => ({ repository: commits(), package: changelog() }),
  talk: () => ({
    meeting: linesOf(values.meeting),
    ...talks((id) => /^(friends|team)/.test(id)),
    ...foreign('locomo'),
    ...foreign('realtalk'),
  }),
  docs: () => ({ operations: paragraphs('docs/operations.md'), deploy: paragraphs('docs/deploy.md') }),
};

const random = randomFrom(Number(values.seed));
for (const [kind, users] of Object.entries(kinds)) {
  if (values.only && values.only !== kind) continue;
  const found = { entities: [] as string[], facts: [] as string[], topics: [] as string[] };
  let texts = 0;
  for (const own of Object.values(users())) {
    texts += own.length;
    const { entities, facts, topics } = await deriveAll(own);
    found.entities.push(...entities);
    found.facts.push(...facts);
    found.topics.push(...topics);
  }
  for (const [what, all] of Object.entries(found)) {
    console.log(`\n## ${kind}: ${values.each} of ${all.length} ${what} from ${texts} texts`);
    for (const one of random.sample(all, Math.min(Number(values.each), all.length))) console.log(`- ${one}`);
  }
}
