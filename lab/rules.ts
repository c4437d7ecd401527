import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readDataSet } from '../bench/locomo/data-set.ts';
import { toContent } from '../bench/locomo/import-conversation.ts';
import { toTable } from '../bench/report/table.ts';
import { readTalks } from '../bench/talks/read-talks.ts';
import { claimsIn } from '../src/domain/patterns/detect/claims.ts';

const wordsOfAgents = 'lab/data/rules/agents-words.txt';
/** A demand of the user: what an agent is given as a rule. */
const demanding = new Set(['rule', 'correction', 'preference']);

const claimsOf = (content: string) =>
  claimsIn({ id: '', content, at: 0, conversationId: '', topics: [], role: null, isPast: false });
const demandsOf = (content: string) =>
  claimsOf(content).filter(({ type, owner }) => demanding.has(type) && owner === 'user');

/**
 * Counts the rules found in the sentences of agents, and those invented, by half; then the claims, by type, in talks of
 * several speakers. `--chat FILE` adds a file in LoCoMo's layout, `--show` prints what is wrong in the half that may be
 * fitted on, and each claim of the talks.
 */
function main(): void {
  const { values } = parseArgs({
    options: {
      chat: { type: 'string', multiple: true, default: [] },
      show: { type: 'boolean', default: false },
    },
  });
  console.log(toTable(['half', 'rules', 'found', 'no rules', 'invented'], ofHalves(values.show)));
  const sets = [
    { name: 'talks', conversations: readTalks().conversations },
    ...values.chat.map((path) => ({ name: path, conversations: readDataSet(path).conversations })),
  ];
  for (const { name, conversations } of sets) {
    const turns = conversations.flatMap(({ sessions }) => sessions.flatMap((session) => session.turns));
    const claims = turns.flatMap((turn) => claimsOf(toContent(turn)));
    const types = [...new Set(claims.map(({ type }) => type))].sort();
    const counts = types.map((type) => `${type} ${claims.filter((claim) => claim.type === type).length}`);
    console.log(`${name}: ${turns.length} turns, ${claims.length} claims: ${counts.join(', ')}`);
    if (values.show)
      for (const { type, owner, sentence } of claims) console.log(`  ${type} | ${owner} | ${sentence}`);
  }
}

function ofHalves(show: boolean): string[][] {
  const lines = readFileSync(wordsOfAgents, 'utf8')
    .split('\n')
    .filter((line) => /^[+-] /.test(line));
  const halves = ['fit', 'locked'].map((half, i) => {
    const [rules, others] = ['+', '-'].map((sign) =>
      lines.filter((line) => line.startsWith(sign)).filter((_, at) => at % 2 === i),
    );
    const isFound = (line: string) => demandsOf(line.slice(2)).length > 0;
    if (show && half === 'fit')
      for (const line of [...rules.filter((rule) => !isFound(rule)), ...others.filter(isFound)])
        console.log(`wrong: ${line}`);
    return [half, rules.length, rules.filter(isFound).length, others.length, others.filter(isFound).length];
  });
  return halves.map((row) => row.map(String));
}

main();
