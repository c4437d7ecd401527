import { BaseStore, type Operation, type OperationResults } from '@langchain/langgraph-checkpoint';
import { Client } from '../client.js';
import { Items } from '../items.js';

/** LangGraph: a store whose items are documents, each with its versions; a delete goes to the trash. */
export class MemorydStore extends BaseStore {
  readonly #items: Items;

  constructor(client = new Client(), space = 'langgraph') {
    super();
    this.#items = new Items(client, space);
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    for (const operation of operations) results.push(await this.#do(operation));
    return results as OperationResults<Op>;
  }

  async #do(operation: Operation): Promise<unknown> {
    if ('value' in operation) return this.#items.put(operation.namespace, operation.key, operation.value);
    if ('namespacePrefix' in operation) return this.#items.search(operation.namespacePrefix, operation);
    if ('key' in operation) return this.#items.get(operation.namespace, operation.key);
    const { matchConditions, maxDepth, limit, offset } = operation;
    return (await this.#items.namespaces(matchConditions, maxDepth)).slice(offset, offset + limit);
  }
}
