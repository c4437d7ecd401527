/** What clients call first. */
const compiledAtStart = new Set(['/api/memories', '/api/memories/search']);

/**
 * Schemas of requests and responses are compiled to functions for the first request of their route: compiling those of all
 * routes takes 15 MiB and half a second of every start, and one client calls few of them.
 */
export function compileLate<F extends object>(url: string, compile: () => F): () => F {
  let compiled = compiledAtStart.has(url) ? compile() : undefined;
  return () => {
    compiled ??= compile();
    return compiled;
  };
}
