/**
 * Draws sentences at random from the comments of src and from the pages: is it plain English? Read by eye.
 * Usage: npm run bench sentences [-- --seed N] [--count N]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tokensOf, typescriptFiles } from '../test/architecture/tokens.ts';
import { randomFrom } from '../test/support/random.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '27' }, count: { type: 'string', default: '30' } },
});

const ofComments = typescriptFiles()
  .filter(({ path }) => path.startsWith('src/'))
  .flatMap(({ path, text }) =>
    tokensOf(text).comments.map((comment) => ({
      path,
      prose: comment.replace(/\s*\*\/$/, '').replace(/^\/\*+|^\/\/|^ *\* ?/gm, ' '),
    })),
  );
const pages = ['docs', 'docs/adr'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);
/** Paragraphs and list items; no code, tables or headings. */
const ofPages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...pages].flatMap((path) =>
  readFileSync(path, 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n(?:\n|(?=[-*] ))/)
    .filter((block) => !/^\s*[#|<]/.test(block))
    .map((prose) => ({ path, prose })),
);

const wordsMin = 5;
const sentences = [...ofComments, ...ofPages].flatMap(({ path, prose }) =>
  prose
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?:]) (?=[A-Z`])/)
    .map((sentence) => ({ path, sentence: sentence.trim() }))
    .filter(({ sentence }) => sentence.split(' ').length >= wordsMin),
);

const random = randomFrom(Number(values.seed));
for (const { path, sentence } of random.sample(sentences, Number(values.count)))
  console.log(`${path}: ${sentence}`);
console.log(`${values.count} of ${sentences.length} sentences, seed ${values.seed}`);
