/**
 * An id as this service makes them; another word in place of an id may be an endpoint that does not exist.
 */
const id = '(?:conv_)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const idParameter = /^:(id|.+Id)$/;

interface KnownPath {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

function toSource(segments: readonly string[]): string {
  const sources = segments.map((part) => {
    if (part === '*') return '.*';
    if (idParameter.test(part)) return id;
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return sources.join('/');
}

/** Matches the paths of any of these sources. */
function toRegExp(sources: readonly string[]): RegExp {
  return new RegExp(`^(?:${sources.join('|')})/?$`);
}

/**
 * True if every path of `narrow` matches `wide`, and `narrow`
 * has a fixed word in place of a parameter of `wide`.
 */
function isNarrower(narrow: readonly string[], wide: readonly string[]): boolean {
  if (narrow.length !== wide.length) return false;
  const fits = wide.every((part, i) => part === narrow[i] || part.startsWith(':'));
  return fits && wide.some((part, i) => part.startsWith(':') && !narrow[i].startsWith(':'));
}

/** The paths of all routes with their methods; a fixed word such as `search` is not an id. */
export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>();
  /** One pattern for all narrower paths: testing ten of them costs about as much as testing one. */
  readonly #narrower = new Map<string, RegExp | undefined>();

  add(url: string, methods: readonly string[]): void {
    const path = this.#paths.get(url) ?? { segments: url.split('/'), methods: new Set<string>() };
    for (const method of methods) path.methods.add(method);
    this.#paths.set(url, path);
    this.#narrower.clear();
  }

  /** The methods of a path; empty if no route has it. */
  methodsOf(path: string): ReadonlySet<string> {
    const matching = [...this.#paths.values()].filter(({ segments }) =>
      toRegExp([toSource(segments)]).test(path),
    );
    const narrowest = matching.filter(
      ({ segments: parts }) => !matching.some((other) => isNarrower(other.segments, parts)),
    );
    return new Set(narrowest.flatMap(({ methods }) => [...methods]));
  }

  /**
   * Whether `path`, which the router matched to the route
   * `url`, has a fixed word of another route in place of an id.
   */
  hasNarrower(url: string, path: string): boolean {
    return this.#narrowerThan(url)?.test(path) ?? false;
  }

  #narrowerThan(url: string): RegExp | undefined {
    if (this.#narrower.has(url)) return this.#narrower.get(url);
    const wide = this.#paths.get(url);
    const sources = [...this.#paths.values()]
      .filter(({ segments: parts }) => wide !== undefined && isNarrower(parts, wide.segments))
      .map(({ segments: parts }) => toSource(parts));
    const pattern = sources.length > 0 ? toRegExp(sources) : undefined;
    this.#narrower.set(url, pattern);
    return pattern;
  }
}
