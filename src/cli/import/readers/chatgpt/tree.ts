import type { Fields } from '../../statement.ts';
import { fieldsOf, listOf } from '../shared/fields.ts';

/** One of the nodes of a conversation, which regenerated and edited messages make a tree. */
interface TreeNode {
  readonly key: string;
  readonly message: Fields | undefined;
  readonly parent: string | undefined;
}

type Nodes = ReadonlyMap<string, TreeNode>;

/** A message with the key of its node. */
export interface NodeMessage {
  readonly key: string;
  readonly message: Fields;
}

export interface ChatTree {
  /** Messages from the first to the current one. */
  readonly line: readonly NodeMessage[];
  /** Messages of the other branches: one list for each leaf, from there up to the line or to a branch before. */
  readonly others: readonly (readonly NodeMessage[])[];
}

/**
 * The line of a conversation from `current_node` up to the root; without a current node, from the newest leaf.
 * @param mapping node by key: `{parent, children, message}`
 * @param timeOf milliseconds
 */
export function readTree(
  mapping: Fields,
  current: unknown,
  timeOf: (message: Fields) => number | undefined,
): ChatTree {
  const nodes = nodesOf(mapping);
  const leaves = leavesOf(nodes);
  const start = typeof current === 'string' && nodes.has(current) ? current : newest(nodes, leaves, timeOf);
  const seen = new Set<string>();
  const line = pathUp(nodes, start, seen).reverse();
  const others = leaves.filter((key) => !seen.has(key)).map((key) => pathUp(nodes, key, seen));
  return { line, others };
}

function nodesOf(mapping: Fields): Nodes {
  const claimed = new Map<string, string>();
  for (const [key, value] of Object.entries(mapping))
    for (const child of listOf(fieldsOf(value)?.children))
      if (typeof child === 'string' && child !== key && !claimed.has(child)) claimed.set(child, key);
  const nodes = new Map<string, TreeNode>();
  for (const [key, value] of Object.entries(mapping)) {
    const node = fieldsOf(value);
    if (!node) continue;
    const named = typeof node.parent === 'string' && fieldsOf(mapping[node.parent]) ? node.parent : undefined;
    nodes.set(key, { key, message: fieldsOf(node.message), parent: named ?? claimed.get(key) });
  }
  return nodes;
}

/** Keys of nodes without children; all if each has one, as in a circle. */
function leavesOf(nodes: Nodes): readonly string[] {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent));
  const leaves = [...nodes.keys()].filter((key) => !parents.has(key));
  return leaves.length > 0 ? leaves : [...nodes.keys()];
}

/** The last of the newest: a message without a time is older than any with one. */
function newest(nodes: Nodes, keys: readonly string[], timeOf: (message: Fields) => number | undefined) {
  let found: { readonly key: string; readonly time: number } | undefined;
  for (const key of keys) {
    const message = nodes.get(key)?.message;
    const time = message ? (timeOf(message) ?? -1) : -2;
    if (!found || time >= found.time) found = { key, time };
  }
  return found?.key;
}

/** Messages from a node up to the root, or to the first node that is in `seen`, to which they are added. */
function pathUp(nodes: Nodes, start: string | undefined, seen: Set<string>): NodeMessage[] {
  const path: NodeMessage[] = [];
  let node = start === undefined ? undefined : nodes.get(start);
  while (node && !seen.has(node.key)) {
    seen.add(node.key);
    const { key, message, parent } = node;
    if (message) path.push({ key, message });
    node = parent === undefined ? undefined : nodes.get(parent);
  }
  return path;
}
