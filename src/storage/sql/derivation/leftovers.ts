import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import { related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { DerivedIds } from './derived-from.ts';

/** Maximum rows of one search, by kind. */
const rowsMax = 500;

/**
 * Imported entities, facts and topics that no imported memory supports after it was derived again:
 * erasing a memory does not reach them. Empty while memories of the user wait to be derived.
 */
export async function leftoversOf({ tables }: UserDatabase): Promise<DerivedIds> {
  const waiting = await tables
    .selectFrom('jobs')
    .select('doc')
    .where('step', '=', deriveStepKey.name)
    .where('due_at', 'is not', null)
    .limit(1)
    .execute();
  if (waiting.length > 0) return { entities: [], facts: [], topics: [] };
  const entities = tables
    .selectFrom('entities')
    .select('entities.id')
    .where((eb) =>
      eb.not(
        eb.exists(
          related(eb, 'entity_mentions', 'entities.id', 'entity_id').select('entity_mentions.entity_id'),
        ),
      ),
    );
  const facts = tables
    .selectFrom('facts')
    .select('facts.id')
    .where('facts.fact_key', 'is not', null)
    .where((eb) =>
      eb.not(eb.exists(related(eb, 'fact_mentions', 'facts.id', 'fact_id').select('fact_mentions.doc'))),
    );
  const topics = tables
    .selectFrom('topics')
    .select('topics.id')
    .where((eb) =>
      eb.not(
        eb.or([
          eb.exists(related(eb, 'derived_topics', 'topics.id', 'topic_id').select('derived_topics.doc')),
          eb.exists(related(eb, 'memory_topics', 'topics.id', 'topic_id').select('memory_topics.memory_id')),
        ]),
      ),
    );
  return {
    entities: (await entities.limit(rowsMax).execute()).map(({ id }) => id),
    facts: (await facts.limit(rowsMax).execute()).map(({ id }) => id),
    topics: (await topics.limit(rowsMax).execute()).map(({ id }) => id),
  };
}
