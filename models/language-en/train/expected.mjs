// What these scripts' tokens, tags, names and trees are for every labelled text, one JSON object a line:
// `node expected.mjs > ../../../test/fixtures/language/stack.jsonl`. src/language must give the same (stack.test.ts).
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Dep } from './dep.mjs';
import { Ner } from './ner.mjs';
import { Pos } from './pos.mjs';
import { sentences, speaker } from './text.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const given = at('../../../lab/data/language/given/');
const lines = (file) =>
  fs.readFileSync(given + file, 'utf8').split('\n').filter((line) => line && line[0] !== '#').map((line) => line.split('\t'));
const texts = new Set([
  ...JSON.parse(fs.readFileSync(`${given}notes-entities.json`)).map(({ text }) => text),
  ...lines('facts.txt').map(([text]) => text),
  ...lines('pairs.tsv').flatMap(([earlier, later]) => [earlier, later]),
]);
const [pos, ner, dep] = [Pos.load(at('../pos')), Ner.load(at('../ner')), Dep.load(at('../dep'))];
dep.rootLab = dep.model.meta.rootLab;
for (const text of texts) {
  const found = sentences(text).map((tokens) => {
    const words = tokens.map(({ w }) => w);
    const tags = pos.tag(words);
    const tree = dep.parse(words, tags);
    return {
      spans: tokens.map(({ s, e }) => `${s}-${e}`).join(' '),
      tags: tags.join(' '),
      names: ner.tag(words, tags).join(' '),
      heads: tree.heads.join(' '),
      relations: tree.rels.join(' '),
      margin: +tree.min.toFixed(4),
    };
  });
  console.log(JSON.stringify({ text, speaker: speaker(text)?.name, sentences: found }));
}
