/**
 * Converts a file in the layout of LoCoMo to JSON Lines for `npx memoryd import OUT`, without the questions.
 * Usage: npm run bench locomo-lines -- FILE OUT [--only ID]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readDataSet } from './locomo/data-set.ts';
import { linesOf } from './locomo/import-conversation.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [file, out] = positionals;
if (file === undefined || out === undefined) throw new Error('name the file and where its lines go');
const conversations = readDataSet(file).conversations.filter(({ id }) => id === (values.only ?? id));
if (conversations.length === 0) throw new Error(`${values.only} is no conversation of ${file}`);
writeFileSync(
  out,
  conversations
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join(''),
);
