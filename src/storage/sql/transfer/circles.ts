/** A node from which the edges lead back to itself; undefined where there is none. */
export function circleIn(targets: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  for (const start of targets.keys()) {
    // The way from `start`, with how many targets of each of its nodes were followed.
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
