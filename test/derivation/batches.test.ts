import { describe, expect, it } from 'vitest';
import { readNoteSet } from '../../bench/notes/note-set.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { readRows } from '../support/run-statement.ts';
import { useApp } from '../support/use-app.ts';

const { asked } = readNoteSet();
const people = ['Ana', 'Marek', 'Olga'];
const notes = [
  ...asked.development.slice(0, 8).map(({ note }) => note),
  ...people.map((name) => `${name} uses Kafka and Redis for the invoice export, see BILL-7.`),
  'The gateway timeout defaults to 30 seconds.',
  'The gateway timeout defaults to 90 seconds now.',
  'Always run the linter before a commit.',
  'Always run the linter before each push.',
  'We decided to use PostgreSQL for the ledger since 3 May 2026.',
  'Bug: the invoice export fails with a timeout.',
  'Fixed the timeout of the invoice export.',
  'Marek: I moved to Berlin.',
  'Marek: I moved to Madrid.',
  'Project Quellwald is on hold.',
  'The storefront of Quellwald does not use Redis.',
];

const topicScores = 'SELECT doc, score FROM derived_topics WHERE user_id = $user';

/** What is derived, by the names of records and the numbers of versions in place of ids. */
const derived: readonly string[] = [
  `SELECT entities.name, entities.name_key, entities.found_type, entities.type, entities.is_certain, entities.merged_by,
    shown.name_key AS shown FROM entities JOIN entities AS shown ON shown.user_id = entities.user_id
    AND shown.id = entities.canonical_id WHERE entities.user_id = $user`,
  `SELECT entities.name_key, entities.found_type, entity_mentions.name, doc, start_at, end_at, mentions, confidence, found_by
    FROM entity_mentions JOIN entities ON entities.user_id = entity_mentions.user_id AND entities.id = entity_id
    WHERE entities.user_id = $user`,
  `SELECT fact_key, subject, predicate, object, confidence, negated, term_count FROM facts WHERE user_id = $user`,
  `SELECT fact_key, fact_mentions.doc, start_at, end_at, basis, fact_mentions.confidence, speaker, said_time, outdated
    FROM fact_mentions JOIN facts ON facts.user_id = fact_mentions.user_id AND facts.id = fact_id
    WHERE facts.user_id = $user`,
  `SELECT fact_key, name_key, role FROM fact_entities
    JOIN facts ON facts.user_id = fact_entities.user_id AND facts.id = fact_id
    JOIN entities ON entities.user_id = fact_entities.user_id AND entities.id = entity_id WHERE facts.user_id = $user`,
  `SELECT normalized_name, doc FROM derived_topics
    JOIN topics ON topics.user_id = derived_topics.user_id AND topics.id = topic_id WHERE topics.user_id = $user`,
  topicScores,
  'SELECT doc, version, is_english, skip_reason FROM derivations WHERE user_id = $user',
  'SELECT doc, from_at, to_at FROM named_times WHERE user_id = $user',
  `SELECT source.doc AS source, target.doc AS target, type, confidence, reason, evidence, creation_method
    FROM memory_edges JOIN memories AS source ON source.user_id = memory_edges.user_id AND source.id = source_id
    JOIN memories AS target ON target.user_id = memory_edges.user_id AND target.id = target_id
    WHERE memory_edges.user_id = $user AND removed_at IS NULL`,
  `SELECT edge_candidates.doc, target.doc AS target, type, confidence, reason, evidence FROM edge_candidates
    JOIN memories AS target ON target.user_id = edge_candidates.user_id AND target.id = target_id
    WHERE edge_candidates.user_id = $user`,
  `SELECT patterns.type, patterns.name, memories.doc FROM pattern_evidence
    JOIN patterns ON patterns.user_id = pattern_evidence.user_id AND patterns.id = pattern_id
    JOIN memories ON memories.user_id = pattern_evidence.user_id AND memories.id = memory_id
    WHERE patterns.user_id = $user`,
  'SELECT doc, effective_state, outdated_parts FROM memory_versions WHERE user_id = $user',
];

describe.each(engines)('memories derived together on %s', (engine) => {
  const app = useApp(engine);

  const rowsOf = async (query: string) => readRows({ engine, url: app.databaseUrl }, query);
  const write = async () => {
    const http = await app.newClient();
    const ids: string[] = [];
    for (const [i, content] of notes.entries()) {
      const eventTime = new Date(Date.UTC(2026, 4, 1 + i)).toISOString();
      const body = { content, conversationId: 'NEW', eventTime, topics: i % 7 === 0 ? ['billing'] : [] };
      ids.push((await http.post<{ data: { id: string } }>('/api/memories', body)).body.data.id);
    }
    await http.patch(`/api/memories/${ids[3]}`, { content: `${notes[3]} Olga agrees.` });
    const [{ id }] = await rowsOf('SELECT max(id) AS id FROM users');
    return Number(id);
  };
  const derivedOf = async (user: number) => {
    const versions = await rowsOf(`SELECT doc FROM memory_versions WHERE user_id = ${user} ORDER BY doc`);
    const places = new Map(versions.map(({ doc }, place) => [Number(doc), `version ${place}`]));
    const placeOf = (doc: unknown) => places.get(Number(doc));
    const shown = ([column, value]: [string, unknown]) => {
      if (['doc', 'source', 'target'].includes(column)) return placeOf(value);
      return column === 'evidence'
        ? `${value}`.replace(/\[(\d+),/g, (_, doc) => `[${placeOf(doc)},`)
        : `${value}`.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id');
    };
    const tables: Record<string, string[]> = {};
    for (const query of derived) {
      const rows = await rowsOf(query.replace('$user', `${user}`));
      tables[query] = rows.map((row) => JSON.stringify(Object.entries(row).map(shown))).sort();
    }
    return tables;
  };

  it('gives the rows that one after another gives, with a worker too', async () => {
    const alone = await write();
    await deriveAll(app.services, 1);
    const together = await write();
    await deriveAll(app.services);
    const byWorker = await write();
    app.startUpkeep();
    const isDone = async () => (await rowsOf(`SELECT 1 FROM jobs WHERE user_id = ${byWorker}`)).length === 0;
    await expect.poll(isDone, { timeout: 30_000 }).toBe(true);
    const expected = await derivedOf(alone);
    expect(Object.values(expected).filter((rows) => rows.length > 0).length).toBeGreaterThan(9);
    expect(await derivedOf(together)).toEqual(expected);
    // A score counts the versions there are, and the worker relates, which opens some, while it derives others.
    const { [topicScores]: _, ...withoutScores } = expected;
    expect(await derivedOf(byWorker)).toMatchObject(withoutScores);
  });
});
