import type {
  BehaviourReader,
  BehaviourState,
  BehaviourWriter,
} from '../../../domain/patterns/behaviour-store.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { nextRev } from '../core/change-counter.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

const stored = new UserQuery((tables) => tables.selectFrom('behaviour_states').select('state'));

export class SqlBehaviourReader extends UserRecords implements BehaviourReader {
  async find(): Promise<BehaviourState | undefined> {
    const row = await this.db.first(stored, {});
    return row && (JSON.parse(row.state) as BehaviourState);
  }
}

export class SqlBehaviourWriter extends SqlBehaviourReader implements BehaviourWriter {
  async save(state: BehaviourState, at: EpochMs): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.deleteFrom('behaviour_states').execute();
    await this.db.tables
      .insertInto('behaviour_states', { state: JSON.stringify(state), updated_at: at })
      .execute();
  }
}
