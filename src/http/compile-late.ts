/** The routes that clients call first. */
const compiledAtStart = new Set(['/api/memories', '/api/memories/search']);

/**
 * Compiles the schemas of a route at its first request: compiling those of all routes
 * takes 15 MiB and half a second of every start, and one client calls few of them.
 */
export function compileLate<F extends object>(url: string, compile: () => F): () => F {
  let compiled = compiledAtStart.has(url) ? compile() : undefined;
  return () => {
    compiled ??= compile();
    return compiled;
  };
}
