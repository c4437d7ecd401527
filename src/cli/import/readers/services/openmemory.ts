import type { Fields, InputFile } from '../reader.ts';
import { fieldsOf, idText, listOf, storableText } from '../shared/fields.ts';
import { jsonElements, type ReadJson } from '../shared/json.ts';

/** Names of categories and apps by their ids, and ids of categories by memory. */
interface Tables {
  readonly names: ReadonlyMap<string, string>;
  readonly categories: ReadonlyMap<string, readonly string[]>;
}

/** The elements of `memories.json` of OpenMemory; its memories have the names of their app and categories. */
export async function* openMemoryElements(file: InputFile): AsyncGenerator<ReadJson> {
  const tables = await readTables(file);
  for await (const element of jsonElements(file)) {
    const fields = element.member === 'memories' ? fieldsOf(element.value) : undefined;
    if (fields) yield { ...element, value: withNames(fields, tables) };
    // Other tables only count for the progress.
    else yield element.member === 'memories' ? element : { ...element, number: 0 };
  }
}

async function readTables(file: InputFile): Promise<Tables> {
  const names = new Map<string, string>();
  const categories = new Map<string, string[]>();
  for await (const { member, value } of jsonElements(file)) {
    const fields = fieldsOf(value);
    if (!fields) continue;
    if (member === 'memory_categories') addCategory(fields, categories);
    if (member !== 'categories' && member !== 'apps') continue;
    const id = idText(fields.id);
    const name = storableText(fields.name);
    if (id !== undefined && name !== undefined) names.set(id, name);
  }
  return { names, categories };
}

function addCategory({ memory_id, category_id }: Fields, categories: Map<string, string[]>): void {
  const memory = idText(memory_id);
  const category = idText(category_id);
  if (memory === undefined || category === undefined) return;
  const known = categories.get(memory);
  if (known) known.push(category);
  else categories.set(memory, [category]);
}

function withNames(fields: Fields, { names, categories }: Tables): Fields {
  const ids = [...listOf(fields.category_ids), ...(categories.get(idText(fields.id) ?? '') ?? [])];
  // The user's id is one of the tables, which is no scope.
  return {
    ...fields,
    user_id: undefined,
    app: names.get(idText(fields.app_id) ?? ''),
    categories: ids.map((id) => names.get(String(id))),
  };
}
