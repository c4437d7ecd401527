/** A node on a cycle of the graph, or undefined if the graph has no cycle. */
export function circleIn(targets: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  for (const start of targets.keys()) {
    // The path from `start`; `next` is the number of targets of the node that were followed.
    const way: { readonly node: string; next: number }[] = [{ node: start, next: 0 }];
    const onWay = new Set([start]);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const target = done.has(top.node) ? undefined : targets.get(top.node)?.[top.next++];
      if (target === undefined) {
        done.add(top.node);
        onWay.delete(top.node);
        way.pop();
      } else if (onWay.has(target)) {
        return target;
      } else {
        onWay.add(target);
        way.push({ node: target, next: 0 });
      }
    }
  }
  return undefined;
}
