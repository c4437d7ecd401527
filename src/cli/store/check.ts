import { Command } from 'commander';
import { missingEncoderNote } from '../../domain/embedding/embedder.ts';
import { removalUnfinished } from '../../domain/shared/errors.ts';
import type { CheckReport, Upkeep, UserFaults } from '../../storage/upkeep.ts';
import { print, printJson } from '../output/print.ts';
import { withBar } from '../output/progress-bar.ts';
import { withStorage } from './with-storage.ts';

/** A running service keeps writing; a round repairs all faults except those written since the check. */
const roundsMax = 3;
const examplesMax = 5;

/** `memoryd check [--repair]` */
export function checkCommand(): Command {
  return new Command('check')
    .option('--repair', 'mend what is wrong, beside a running service too')
    .option('--json', 'print one JSON document: what was found, and with --repair what is left')
    .action(({ repair, json }: { repair?: boolean; json?: true }) =>
      withStorage(async ({ upkeep, encoder }) => {
        const note = missingEncoderNote(encoder);
        const say = (report: CheckReport) => (json ? [] : describeReport(report)).forEach(print);
        const found = await checked(upkeep);
        say(found);
        const left = repair && !isClean(found) ? await repaired(upkeep, found) : found;
        if (left !== found && !json) print('\nAfter the repair:');
        if (left !== found) say(left);
        if (json) printJson({ data: { isClean: isClean(left), found, left, encoder: encoder?.health } });
        else if (note !== undefined) print(note);
        if (!isClean(left)) process.exitCode = 1;
      }),
    );
}

/** Whether the report names no fault. */
export function isClean(report: CheckReport): boolean {
  const { damage, indexDamage, orphans, strays, unfinishedRemovals, faults } = report;
  return [damage, indexDamage, orphans, strays, unfinishedRemovals, faults].every(
    (list) => list.length === 0,
  );
}

async function repaired(upkeep: Upkeep, first: CheckReport): Promise<CheckReport> {
  let report = first;
  for (let round = 0; round < roundsMax && !isClean(report); round++) {
    await withBar('repairing', 'records', (onProgress) =>
      upkeep.repair(report, { at: Date.now(), onProgress }),
    );
    report = await checked(upkeep);
  }
  return report;
}

function checked(upkeep: Upkeep): Promise<CheckReport> {
  return withBar('checking', 'records', (onProgress) => upkeep.check(onProgress));
}

/** The report as lines for people. */
export function describeReport(report: CheckReport): string[] {
  const { users, versions, conversations, facts, damage, indexDamage, orphans, faults } = report;
  const lines = [
    `Compared ${versions} versions of memories, ${conversations} conversations and ${facts} facts of ${users} users with the index.`,
  ];
  for (const line of damage) lines.push(`Damage of the database: ${line}`);
  for (const line of indexDamage) lines.push(`Damage of the keyword index: ${line}`);
  if (orphans.length > 0)
    lines.push(`${orphans.length} documents of no record${examples(orphans.map(({ doc }) => doc))}`);
  for (const { table, userId, rows } of report.strays)
    lines.push(`${rows} rows of ${table} belong to user ${userId}, who is no more`);
  for (const name of report.unfinishedRemovals) lines.push(removalUnfinished(name).message);
  for (const userFaults of faults) lines.push(...describeFaults(userFaults));
  if (isClean(report)) lines.push('Nothing is wrong.');
  return lines;
}

function describeFaults(faults: UserFaults): string[] {
  const { counters, memoryCounts } = faults;
  const lists: readonly [string, readonly (string | number)[]][] = [
    ['records missing from the keyword index', faults.missing.map(({ doc }) => doc)],
    ['documents with other words than their record', faults.wrongWords.map(({ doc }) => doc)],
    ['records with words that the vocabulary lacks', faults.unknownWords.map(({ doc }) => doc)],
    ['records with a wrong number of terms, traits or speaker', faults.wrongColumns.map(({ doc }) => doc)],
    ['memories with a wrong effective state', faults.wrongStates],
    ['conversations with a wrong number of memories', memoryCounts.map(({ id }) => id)],
    ['segments of the index that are damaged', faults.damagedSegments],
    ['records with a vector that is not what was written', faults.damagedVectors.map(({ doc }) => doc)],
  ];
  const lines = [`User ${faults.user.name}:`];
  for (const [what, ids] of lists) if (ids.length > 0) lines.push(`  ${ids.length} ${what}${examples(ids)}`);
  if (faults.unfitRows > 0) lines.push(`  ${faults.unfitRows} rows that no import would take:`);
  for (const row of faults.unfit.slice(0, examplesMax)) lines.push(`    ${row}`);
  if (counters.documents !== 0) lines.push(`  the count of memories is off by ${-counters.documents}`);
  if (counters.terms !== 0) lines.push(`  the count of terms is off by ${-counters.terms}`);
  return lines;
}

function examples(ids: readonly (string | number)[]): string {
  const shown = ids.slice(0, examplesMax).join(', ');
  return ids.length > examplesMax ? `: ${shown}, ...` : `: ${shown}`;
}
