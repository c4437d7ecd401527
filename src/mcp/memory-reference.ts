import { idPrefixLengthMin, type Memory, namePattern } from '../domain/memories/memory.ts';
import { AppError, invalidInput, notFound } from '../domain/shared/errors.ts';
import type { ToolContext } from './tool.ts';

const wholeId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const idBeginning = new RegExp(`^[0-9a-f-]{${idPrefixLengthMin},36}$`, 'i');
const name = new RegExp(namePattern);
const candidatesMax = 5;

/**
 * The memory with this id, this name, or an id with this beginning (6 characters at least), in this order:
 * the rule of every argument that names a memory, and of the command line (`cli/client/find-memory.ts`).
 * @throws 404; 422 that names the candidates if several ids match
 */
export async function findMemory(
  { services, user }: Pick<ToolContext, 'services' | 'user'>,
  reference: string,
  field = 'id',
): Promise<Memory> {
  const { memories } = services.stores.forUser(user);
  const found =
    (await memories.find(reference)) ??
    (name.test(reference) ? await memories.findByName(reference) : undefined);
  if (found) return found;
  if (!idBeginning.test(reference)) throw notFound('memory');
  const docs = await memories.docsByIdPrefix(reference.toLowerCase(), candidatesMax + 1);
  const [memory, ...others] = await memories.findByDocs(docs);
  if (!memory) throw notFound('memory');
  if (others.length === 0) return memory;
  const ids = [memory, ...others].slice(0, candidatesMax).map(({ id }) => id);
  throw invalidInput(
    field,
    `${reference} begins several ids: ${ids.join(', ')}${docs.length > candidatesMax ? ', …' : ''}`,
  );
}

/** The id of the memory; a whole id is not looked for. @throws as `findMemory` */
export async function memoryIdOf(
  context: Pick<ToolContext, 'services' | 'user'>,
  reference: string,
  field = 'id',
): Promise<string> {
  return wholeId.test(reference) ? reference : (await findMemory(context, reference, field)).id;
}

interface References {
  /** Each once; references without a memory stay as given. */
  readonly ids: readonly string[];
  /** References to several memories. */
  readonly ambiguous: readonly { readonly id: string; readonly error: string }[];
}

/** The ids of several. */
export async function memoryIdsOf(context: ToolContext, references: readonly string[]): Promise<References> {
  const ids = new Set<string>();
  const ambiguous: { id: string; error: string }[] = [];
  for (const reference of references) {
    try {
      ids.add(await memoryIdOf(context, reference));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'INPUT_INVALID') ambiguous.push({ id: reference, error: error.message });
      else ids.add(reference);
    }
  }
  return { ids: [...ids], ambiguous };
}
