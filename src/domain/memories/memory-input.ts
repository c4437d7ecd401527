import { invalidInput } from '../shared/errors.ts';
import { assertLength } from '../shared/storable-text.ts';
import { uniqueTopics } from '../topics/topic.ts';
import {
  type CodeContext,
  codeContextExtraLengthMax,
  codeContextExtraMax,
  codeContextValueLengthMax,
  contentLengthMax,
  contextLengthMax,
  type MemoryContent,
  namePattern,
  nameRule,
  taskIdLengthMax,
  topicLengthMax,
  topicsMax,
} from './memory.ts';
import { checkedMetadata } from './metadata.ts';

/** Fields of a memory as sent by a client: absent members are not stated, null means "none". */
export type MemoryInput = Partial<Omit<MemoryContent, 'memoryTypeUserSet'>>;

const nameExpression = new RegExp(namePattern);
const codeContextKeys = ['product', 'repo', 'service', 'component', 'team', 'role'] as const;

/** @throws 422 */
export function assertName(name: string): void {
  if (!nameExpression.test(name)) throw invalidInput('name', nameRule);
}

/** Topics without duplicates and blank ones. @throws 422 that names `field` */
export function checkedTopics(names: readonly string[], field = 'topics'): string[] {
  if (names.length > topicsMax) throw invalidInput(field, `must have at most ${topicsMax} items`);
  for (const name of names) assertLength(name, `${field} items`, topicLengthMax);
  return uniqueTopics(names);
}

/** The known keys of `given`; null if it has none. @throws 422 */
export function checkedCodeContext(given: CodeContext | null): CodeContext | null {
  if (!given) return null;
  const known: Record<string, string | Record<string, string>> = {};
  for (const key of codeContextKeys) {
    const value = given[key];
    if (value === undefined) continue;
    assertLength(value, `codeContext.${key}`, codeContextValueLengthMax);
    known[key] = value;
  }
  const extra = Object.entries(given.extra ?? {});
  if (extra.length > codeContextExtraMax)
    throw invalidInput('codeContext.extra', `must have at most ${codeContextExtraMax} entries`);
  for (const [key, value] of extra) {
    assertLength(key, 'codeContext.extra keys', codeContextValueLengthMax);
    assertLength(value, 'codeContext.extra values', codeContextExtraLengthMax);
  }
  if (extra.length > 0) known.extra = Object.fromEntries(extra);
  return Object.keys(known).length > 0 ? known : null;
}

/**
 * The stated fields, checked and in stored form; absent ones stay absent. An empty context becomes null.
 * @throws 422 that names the field and the rule
 */
export function checkedFields(input: MemoryInput): Partial<MemoryContent> {
  const fields: { -readonly [K in keyof MemoryContent]?: MemoryContent[K] } = {};
  for (const key of ['role', 'eventTime', 'validFrom', 'validTo', 'outcome', 'importance'] as const) {
    if (input[key] !== undefined) Object.assign(fields, { [key]: input[key] });
  }
  if (input.content !== undefined) {
    assertLength(input.content, 'content', contentLengthMax, 1);
    if (input.content.trim() === '') throw invalidInput('content', 'must not be blank');
    fields.content = input.content;
  }
  if (input.memoryType !== undefined) {
    fields.memoryType = input.memoryType;
    fields.memoryTypeUserSet = true;
  }
  if (input.context !== undefined) {
    if (input.context !== null) assertLength(input.context, 'context', contextLengthMax);
    fields.context = input.context || null;
  }
  if (input.taskId !== undefined) {
    if (input.taskId !== null) assertLength(input.taskId, 'taskId', taskIdLengthMax);
    fields.taskId = input.taskId || null;
  }
  if (input.topics !== undefined) fields.topics = checkedTopics(input.topics);
  if (input.codeContext !== undefined) fields.codeContext = checkedCodeContext(input.codeContext);
  if (input.metadata !== undefined) fields.metadata = checkedMetadata(input.metadata);
  return fields;
}

/** @throws 422 if `[validFrom, validTo)` is empty */
export function assertValidity({ validFrom, validTo }: Pick<MemoryContent, 'validFrom' | 'validTo'>): void {
  if (validFrom !== null && validTo !== null && validFrom >= validTo)
    throw invalidInput('validTo', 'must be later than validFrom');
}

/** A complete content from the stated fields; the default type is episodic. @throws 422 */
export function toContent(input: MemoryInput & { readonly content: string }): MemoryContent {
  const name = input.name || null;
  if (name !== null) assertName(name);
  const fields = checkedFields(input);
  // Written out, as in all code on the path of a create: spreading
  // objects of many shapes took longer than a statement.
  const content: MemoryContent = {
    content: input.content,
    memoryType: fields.memoryType ?? 'episodic',
    memoryTypeUserSet: fields.memoryTypeUserSet ?? false,
    name,
    role: fields.role ?? null,
    context: fields.context ?? null,
    topics: fields.topics ?? [],
    eventTime: fields.eventTime ?? null,
    validFrom: fields.validFrom ?? null,
    validTo: fields.validTo ?? null,
    codeContext: fields.codeContext ?? null,
    metadata: fields.metadata ?? null,
    taskId: fields.taskId ?? null,
    outcome: fields.outcome ?? null,
    importance: fields.importance ?? null,
  };
  assertValidity(content);
  return content;
}
