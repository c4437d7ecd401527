import { type Evidence, evidenceMax, type Pattern } from '../../../domain/patterns/pattern.ts';
import type { PatternWriter } from '../../../domain/patterns/pattern-store.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { nextRev } from '../core/change-counter.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { PatternsTable } from '../core/pattern-tables.ts';
import { countRows } from '../core/user-records.ts';
import { SqlPatternReader } from './pattern-reader.ts';
import { toRow } from './pattern-row.ts';

const byKeys = listQuery<string, PatternsTable>((tables, keys) =>
  tables.selectFrom('patterns').selectAll('patterns').where('patterns.pattern_key', 'in', keys),
);

export class SqlPatternWriter extends SqlPatternReader implements PatternWriter {
  async findByKeys(keys: readonly string[]): Promise<Pattern[]> {
    const found: Pattern[] = [];
    for (const chunk of chunksOf(keys))
      found.push(...(await this.withEvidence(await this.db.all(byKeys(chunk.length), listArguments(chunk)))));
    return found;
  }

  countStored(): Promise<number> {
    return countRows(this.db.tables.selectFrom('patterns'));
  }

  async insert(pattern: Pattern, evidence: readonly Evidence[]): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.insertInto('patterns', toRow(pattern)).execute();
    await this.#insertEvidence(pattern.id, evidence);
  }

  async replace(pattern: Pattern): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    const { id, ...columns } = toRow(pattern);
    await this.db.tables.updateTable('patterns').set(columns).where('id', '=', id).execute();
  }

  async addEvidence(id: string, evidence: readonly Evidence[]): Promise<void> {
    const rows = await this.db.tables
      .selectFrom('pattern_evidence')
      .select(['memory_id', 'seen_at'])
      .where('pattern_id', '=', id)
      .execute();
    const all = new Map(rows.map(({ memory_id, seen_at }) => [memory_id, seen_at]));
    for (const { memoryId, at } of evidence) all.set(memoryId, at);
    await this.db.tables.deleteFrom('pattern_evidence').where('pattern_id', '=', id).execute();
    await this.#insertEvidence(
      id,
      [...all].map(([memoryId, at]) => ({ memoryId, at })),
    );
  }

  /** Of memories that are still there: one may have been erased since it was read. */
  async #insertEvidence(id: string, evidence: readonly Evidence[]): Promise<void> {
    const last = [...evidence].sort((a, b) => b.at - a.at).slice(0, evidenceMax);
    if (last.length === 0) return;
    const rows = await this.db.tables
      .selectFrom('memories')
      .select('id')
      .where(
        'id',
        'in',
        last.map(({ memoryId }) => memoryId),
      )
      .execute();
    const there = new Set(rows.map((row) => row.id));
    const added = last
      .filter(({ memoryId }) => there.has(memoryId))
      .map(({ memoryId, at }) => ({ pattern_id: id, memory_id: memoryId, seen_at: at }));
    if (added.length > 0) await this.db.tables.insertAll('pattern_evidence', added).execute();
  }
}
