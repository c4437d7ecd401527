// Builds labels.txt from gazetteer.json, clusters512.bin and the vocabulary of static-en-256, which is sorted by frequency:
// three lines of words in lower case: given names that mean nothing else, other names, ordinary words that are no names.
import fs from 'node:fs';
const { given, family } = JSON.parse(fs.readFileSync('gazetteer.json'));
const words = fs.readFileSync('../static-en-256/vocab.txt', 'utf8').split('\n');
const clusters = fs.readFileSync('clusters512.bin');
const [ordinaryFrom, ordinaryTo] = [1996, 21_000];
/** Share of listed names in a cluster, from which on its other words are names too: Bob, Marco. */
const nameShareMin = 0.15;
/** Names in clusters of other words: all that the recogniser takes for people in six sentences, without those that are words. */
const alsoNames = new Set(
  `will don grant ed dean walter lincoln luke kennedy norman dick alfred wayne rick karl rob hugh ash mason todd sung rico
   clinton cameron herbert owen cliff otto abraham shaw ellis vladimir friedrich franz johann wilhelm davies solomon
   andrews edmund xavier buck beck ludwig wagner macdonald maxwell ernst timothy mann cornell sterling heinrich archer
   nixon damon mackenzie sidney herman reagan manning knox eli clyde benedict hermann darren ned johannes emi adolf
   rudolf fritz schmidt wyatt johan nielsen pratt sheridan flynn giles nolan angus woody wolfgang nikolai clifford rhys
   werner dunn yuri williamson vaughan goodman basil jasper neville fowler truman koch becker harding norris hilton
   rodgers cyril farrell townsend strauss schwartz gregor morales foley gallagher alvin erich jeremiah charlton slater
   peyton patton robbins monty goldberg ronan pavel tyrone len willem isaiah woodward vlad nico freud tyson sheldon
   brandt ortiz ramsay pearce curran hodges barr taft murdoch frey barnett richter garfield levin gareth eduard rubin
   conor regis beckett morley pang katz crowley munro chuck`.split(/\s+/),
);
const isListed = (word) => Object.hasOwn(given, word) || Object.hasOwn(family, word);
const byCluster = new Map();
for (let i = ordinaryFrom; i < words.length; i++) {
  if (!/^[a-z]{2,}$/.test(words[i])) continue;
  const cluster = clusters.readUInt16LE(2 * i);
  byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), i]);
}
const isOfNames = (cluster) => cluster.filter((i) => isListed(words[i])).length >= nameShareMin * cluster.length;
const [ofNames, others] = [true, false].map((is) => [...byCluster.values()].filter((c) => isOfNames(c) === is).flat().sort((a, b) => a - b));
const unclear = new Set(others.map((i) => words[i]).filter((word) => !alsoNames.has(word)));
const sure = Object.keys(given).filter((name) => !unclear.has(name));
const names = new Set([...alsoNames, ...Object.keys(given), ...ofNames.map((i) => words[i]), ...Object.keys(family).filter((name) => !unclear.has(name))]);
const ordinary = others.filter((i) => i < ordinaryTo && !Object.hasOwn(given, words[i]) && !alsoNames.has(words[i])).map((i) => words[i]);
const lines = [sure, [...names].filter((name) => !sure.includes(name)), ordinary].map((line) => line.filter((word) => !/[ -]/.test(word)));
fs.writeFileSync('labels.txt', lines.map((line) => `${line.join(' ')}\n`).join(''));
console.log(lines.map((line) => line.length));
