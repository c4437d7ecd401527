import { keyLabelLengthMax, keyScopes, requestsPerMinuteMax } from '../../../domain/api-keys/api-key.ts';
import { artifactLengthMax } from '../../../domain/artifacts/artifact.ts';
import { communityAlgorithms } from '../../../domain/communities/community.ts';
import { summaryLengthMax, titleLengthMax } from '../../../domain/conversations/conversation.ts';
import { entityNameMax, entityTypes } from '../../../domain/entities/entity.ts';
import { factLengthMax } from '../../../domain/facts/fact.ts';
import {
  feedbackActions,
  feedbackQueryMax,
  searchMethodLengthMax,
  searchSessionIdLengthMax,
} from '../../../domain/feedback/feedback.ts';
import { importLengthMax } from '../../../domain/imports/import.ts';
import {
  contextLengthMax,
  effectiveStates,
  idLengthMax,
  memoryTypes,
  outcomes,
  roles,
  sessionKeyLengthMax,
  taskIdLengthMax,
  topicLengthMax,
} from '../../../domain/memories/memory.ts';
import {
  assertName,
  checkedCodeContext,
  checkedFields,
  checkedTopics,
} from '../../../domain/memories/memory-input.ts';
import { checkedMetadata } from '../../../domain/memories/metadata.ts';
import { narrativeStates, narrativeTitleLengthMax } from '../../../domain/narratives/narrative.ts';
import { stateBytesMax } from '../../../domain/patterns/behaviour-service.ts';
import { patternFields, patternLengthMax, patternTypes } from '../../../domain/patterns/pattern.ts';
import {
  creationMethods,
  foundReasonLengthMax,
  reasonLengthMax,
  relationshipTypes,
} from '../../../domain/relationships/relationship.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import { externalIdLengthMax } from '../../../domain/shared/external-id.ts';
import { assertTexts } from '../../../domain/shared/storable-text.ts';
import { agentLengthMax, doors } from '../../../domain/shared/user-ref.ts';
import { topicMergeStates } from '../../../domain/topics/topic-merge.ts';
import { trashKinds, trashTitleLengthMax } from '../../../domain/trash/trash.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { UserHead } from '../../transfer.ts';
import type { UserTable } from '../core/schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** @returns the fault of the text of a column, as the end of the sentence "column …" */
type TextRule = (text: string, row: Fields) => string | undefined;

/** Maximum length to which folding case and width (NFKC) expands one UTF-16 unit, in units. */
const unitsOfFolded = 18;
/** Maximum length of keys that derivation makes: a hash, or words of a pattern. */
const derivedKeyLengthMax = 1000;

const oneOf =
  (values: readonly string[]): TextRule =>
  (text) =>
    values.includes(text) ? undefined : `must be one of ${values.join(', ')}`;

/** Checks each part of a list separated by commas; an empty text is an empty list. */
const someOf =
  (values: readonly string[]): TextRule =>
  (text) =>
    text === '' || text.split(',').every((part) => values.includes(part))
      ? undefined
      : `must be a list by comma of ${values.join(', ')}`;

const upTo =
  (max: number, min = 0): TextRule =>
  (text) => {
    if (text.length > max) return `must have at most ${max} characters`;
    return text.length < min ? 'must not be empty' : undefined;
  };

const folded = (max: number) => upTo(max * unitsOfFolded, 1);
const id = upTo(idLengthMax);

/** @returns the message of a check of the domain that throws */
function broken(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return `is wrong: ${error.message}`;
    if (error instanceof RangeError) return 'is nested too deeply';
    throw error;
  }
}

const lawful =
  (check: (text: string) => unknown): TextRule =>
  (text) =>
    broken(() => check(text));

/**
 * JSON of at most `bytesMax` bytes, nested no deeper than a
 * request body may be, without a fault that `wrong` finds.
 */
function json(bytesMax: number, wrong: (value: unknown) => string | undefined): TextRule {
  return (text) => {
    if (Buffer.byteLength(text) > bytesMax) return `must have at most ${bytesMax} bytes`;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The parser's message does not help a reader who does not see this text.
      return 'must be JSON';
    }
    return broken(() => assertTexts(value)) ?? wrong(value);
  };
}

const object = (bytesMax: number, wrong: (value: Fields) => string | undefined = () => undefined) =>
  json(bytesMax, (value) => (isJsonObject(value) ? wrong(value) : 'must be a JSON object'));

/** Far above the limits of the domain, so that the messages of those are the ones a reader gets. */
const jsonBytesMax = 1024 * 1024;

const topics = json(jsonBytesMax, (value) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')
    ? broken(() => checkedTopics(value))
    : 'must be a JSON list of texts',
);

const codeContext = object(jsonBytesMax, (value) => {
  if (value.extra !== undefined && !isJsonObject(value.extra)) return 'must have an object as extra';
  const { extra = {}, ...own } = value as { extra?: Fields };
  if (![...Object.values(own), ...Object.values(extra)].every((part) => typeof part === 'string'))
    return 'must have texts alone';
  return broken(() => checkedCodeContext(value));
});

const metadata = object(jsonBytesMax, (value) => broken(() => checkedMetadata(value)));

/** Maximum bytes of one UTF-16 unit in UTF-8. */
const bytesOfUnit = 3;

const outdatedParts = json(jsonBytesMax, (value) =>
  Array.isArray(value) && value.every(isOutdatedPart)
    ? undefined
    : 'must be a JSON list of parts with start, end and by',
);

const createdBy = object(jsonBytesMax, ({ keyId, label, via, agent, tool, ...others }) =>
  typeof keyId === 'string' &&
  keyId.length <= idLengthMax &&
  typeof label === 'string' &&
  label.length <= keyLabelLengthMax &&
  doors.some((door) => door === via) &&
  [agent, tool].every(
    (name) => name === undefined || (typeof name === 'string' && name.length <= agentLengthMax),
  ) &&
  Object.keys(others).length === 0
    ? undefined
    : `must have keyId, label and via (${doors.join(', ')}), and may have agent and tool`,
);

const isOutdatedPart = (part: unknown) =>
  isJsonObject(part) &&
  [part.start, part.end].every(Number.isSafeInteger) &&
  typeof part.by === 'string' &&
  part.by.length <= idLengthMax;

const counts = object(jsonBytesMax, (value) =>
  Object.values(value).every((count) => Number.isSafeInteger(count) && Number(count) >= 0)
    ? undefined
    : 'must have whole numbers alone',
);

const words = {
  subject: upTo(factLengthMax.subject),
  predicate: upTo(factLengthMax.predicate),
  object: upTo(factLengthMax.object),
};

const externalId = upTo(externalIdLengthMax, 1);

/** Allows any text: the loader computes the column again. */
const computed: TextRule = () => undefined;

/** Allowed texts by column of an export: the limits and lists of the API. Ids have one rule in all tables. */
const textRules: { readonly [T in UserTable]?: Readonly<Record<string, TextRule>> } = {
  conversations: {
    title: upTo(titleLengthMax),
    summary: upTo(summaryLengthMax),
    agent_session_id: upTo(sessionKeyLengthMax),
    external_id: externalId,
    metadata,
  },
  imports: { source: upTo(importLengthMax.source, 1), format: upTo(importLengthMax.format) },
  memories: { external_id: externalId },
  memory_versions: {
    content: lawful((content) => checkedFields({ content })),
    memory_type: oneOf(memoryTypes),
    name: lawful(assertName),
    role: oneOf(roles),
    context: upTo(contextLengthMax),
    topics,
    code_context: codeContext,
    task_id: upTo(taskIdLengthMax),
    outcome: oneOf(outcomes),
    effective_state: oneOf(effectiveStates),
    outdated_parts: outdatedParts,
    created_by: createdBy,
    speaker: computed,
    metadata,
    metadata_keys: computed,
  },
  // `evidence` is checked with the document numbers in it.
  memory_edges: {
    type: oneOf(relationshipTypes),
    creation_method: oneOf(creationMethods),
    reason: (text, { creation_method: by }) =>
      upTo(by === 'manual' ? reasonLengthMax : foundReasonLengthMax)(text, {}),
    evidence: computed,
  },
  topics: { name: upTo(topicLengthMax, 1), normalized_name: folded(topicLengthMax) },
  topic_words: { word: folded(topicLengthMax) },
  topic_merges: { state: oneOf(topicMergeStates) },
  topic_origins: { shown_as: id, name: upTo(topicLengthMax) },
  narratives: { title: upTo(narrativeTitleLengthMax), state: oneOf(narrativeStates) },
  narrative_topics: { name: upTo(topicLengthMax, 1), normalized_name: folded(topicLengthMax) },
  narrative_moves: { state: oneOf(narrativeStates) },
  trash_entries: {
    kind: oneOf(trashKinds),
    title: upTo(trashTitleLengthMax),
    counts,
    payload: object(64 * jsonBytesMax),
  },
  artifacts: {
    content: upTo(artifactLengthMax.content, 1),
    type: upTo(artifactLengthMax.type, 1),
    name: upTo(artifactLengthMax.name),
    description: upTo(artifactLengthMax.description),
    metadata: object(artifactLengthMax.metadata * bytesOfUnit),
    external_id: externalId,
    import_digest: id,
  },
  // Erasing a fact that derivation found leaves empty words.
  facts: { ...words, fact_key: upTo(derivedKeyLengthMax, 1), external_id: externalId, import_digest: id },
  fact_versions: words,
  search_feedback: {
    action: oneOf(feedbackActions),
    query: upTo(feedbackQueryMax),
    search_method: upTo(searchMethodLengthMax),
    search_session_id: upTo(searchSessionIdLengthMax),
  },
  entities: {
    // The name of an erased entity is its key.
    name: (text, { name_key: key }) => (text === key ? undefined : upTo(entityNameMax)(text, {})),
    name_key: upTo(entityNameMax * unitsOfFolded),
    type: oneOf(entityTypes),
    found_type: oneOf(entityTypes),
    merged_by: oneOf(['rule', 'person']),
  },
  communities: { algorithm: oneOf(communityAlgorithms), merged_into: id },
  patterns: {
    pattern_key: upTo(derivedKeyLengthMax, 1),
    type: oneOf(patternTypes),
    name: upTo(patternLengthMax.name, 1),
    description: upTo(patternLengthMax.description),
    context: upTo(topicLengthMax),
    owner: upTo(patternLengthMax.description),
    target: upTo(patternLengthMax.description),
    against: upTo(patternLengthMax.description),
    feedback: upTo(patternLengthMax.feedback),
    edited: someOf(patternFields),
    metadata,
    worded_by: id,
  },
  behaviour_states: { state: object(stateBytesMax) },
  api_keys: {
    prefix: id,
    secret_hash: id,
    label: upTo(keyLabelLengthMax),
    scopes: someOf(keyScopes),
  },
};

/** @throws Error for a column without a rule: add the rule of a new column above */
export function textRule(table: UserTable, column: string): TextRule {
  const rule = textRules[table]?.[column] ?? (column === 'id' || column.endsWith('_id') ? id : undefined);
  if (!rule) throw new Error(`Nothing says what a text in ${table}.${column} may be.`);
  return rule;
}

/**
 * Maximum of a user's change numbers and of a store's document numbers: far above
 * any real number, and far below the numbers to which one cannot be added exactly.
 */
const changesMax = 2 ** 40;
const documentsMax = 2 ** 40;
/** Maximum distance of a JavaScript date from 1970, in milliseconds. */
const timeMax = 8.64e15;
const smallMax = 2 ** 31 - 1;

interface NumberRule {
  readonly allows: (value: number, head: UserHead) => boolean;
  /** Completes the sentence "… must be". */
  readonly says: string;
}

const flag: NumberRule = { allows: (value) => value === 0 || value === 1, says: '0 or 1' };
const share: NumberRule = { allows: (value) => value >= 0 && value <= 1, says: 'from 0 to 1' };
const time: NumberRule = { allows: (value) => Math.abs(value) <= timeMax, says: 'a time in milliseconds' };
const countRule: NumberRule = {
  allows: (value) => value >= 0 && value <= smallMax,
  says: `from 0 to ${smallMax}`,
};
const change: NumberRule = {
  allows: (value, head) => value >= 0 && value <= head.rev,
  says: 'from 0 to the rev of its user',
};
const any: NumberRule = { allows: () => true, says: 'a number' };

/** Allowed numbers by column of an export. A column that is not listed must be a count. */
const numberRules: Readonly<Record<string, NumberRule>> = {
  seq: change,
  rev: change,
  memory_seq: change,
  since_rev: change,
  moved_to: change,
  requests_per_minute: {
    allows: (value) => value >= 1 && value <= requestsPerMinuteMax,
    says: `from 1 to ${requestsPerMinuteMax}`,
  },
  moving: { allows: (value) => value >= 1 && value <= 3, says: 'from 1 to 3' },
  trashed: flag,
  implicit: flag,
  auto_titled: flag,
  sourced: flag,
  negated: flag,
  corrected: flag,
  is_certain: flag,
  withdrawn: flag,
  is_active: flag,
  memory_type_user_set: flag,
  confidence: share,
  base_confidence: share,
  importance: any,
  event_time: time,
  valid_from: time,
  valid_to: time,
  at: time,
  run_at: time,
  // Checked against the range that the head states.
  doc: any,
};

export function numberRule(column: string): NumberRule {
  return numberRules[column] ?? (column.endsWith('_at') ? time : countRule);
}

/** @returns the fault of the numbers of a head, if any */
export function wrongHeadNumbers({ createdAt, updatedAt, rev, epoch, firstDoc, lastDoc }: UserHead) {
  if (Math.abs(createdAt) > timeMax || Math.abs(updatedAt) > timeMax)
    return `createdAt and updatedAt must be ${time.says}`;
  if (rev > changesMax || epoch > changesMax) return `rev and epoch must be at most ${changesMax}`;
  if (firstDoc > lastDoc + 1 || lastDoc > documentsMax)
    return `firstDoc and lastDoc must be in order and at most ${documentsMax}`;
  return undefined;
}
