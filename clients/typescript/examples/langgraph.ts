import { Client } from '@memoryd/client';
import { MemorydStore } from '@memoryd/client/langgraph';

const store = new MemorydStore(new Client()); // new StateGraph(…).compile({ store })
await store.put(['users', 'ana'], 'seat', { text: 'Ana prefers the window seat', kind: 'preference' });
const found = await store.search(['users'], { query: 'which seat does Ana like?', limit: 1 });
export const said: unknown = found[0].value.text;
