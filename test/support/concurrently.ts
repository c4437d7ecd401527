/** Runs `task` over all items, at most `workersMax` at a time; results keep the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  workersMax: number,
  task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await task(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(workersMax, items.length) }, work));
  return results;
}
