type Outcome<T> =
  | { readonly state: 'found'; readonly value: T }
  | { readonly state: 'late' }
  | { readonly state: 'failed'; readonly error: unknown };

/** The outcome of a promise within `ms`. A late promise continues, and its outcome is dropped. */
export async function withinDeadline<T>(promise: Promise<T>, ms: number): Promise<Outcome<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome<T>>((resolve) => {
    timer = setTimeout(() => resolve({ state: 'late' }), ms);
  });
  const found = promise.then(
    (value): Outcome<T> => ({ state: 'found', value }),
    (error: unknown): Outcome<T> => ({ state: 'failed', error }),
  );
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}
