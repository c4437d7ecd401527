/* Filters of LangGraph: equality and comparisons of members, and patterns of namespaces. */

const membersMax = 10;
const textMax = 200;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the service filters by: the first few short members. Everything is compared again by `matches`. */
export function scalars(value: Fields = {}): Fields {
  const short = Object.entries(value).filter(
    ([, one]) =>
      typeof one === 'boolean' ||
      typeof one === 'number' ||
      (typeof one === 'string' && one.length <= textMax),
  );
  return Object.fromEntries(short.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, membersMax));
}

const operators: Readonly<Record<string, (have: unknown, want: unknown) => boolean>> = {
  $eq: (have, want) => have === want,
  $ne: (have, want) => have !== want,
  $gt: (have, want) => Number(have ?? Number.NaN) > Number(want),
  $gte: (have, want) => Number(have ?? Number.NaN) >= Number(want),
  $lt: (have, want) => Number(have ?? Number.NaN) < Number(want),
  $lte: (have, want) => Number(have ?? Number.NaN) <= Number(want),
};

/** @throws Error for an operator that is not known */
export function matches(value: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (!isFields(wanted)) return JSON.stringify(value) === JSON.stringify(wanted);
  return Object.entries(wanted).every(([name, one]) => {
    if (!name.startsWith('$')) return isFields(value) && matches(value[name], one);
    const compare = operators[name];
    if (!compare) throw new Error(`Unsupported operator: ${name}`);
    return compare(value, one);
  });
}

export interface Condition {
  readonly matchType: 'prefix' | 'suffix';
  readonly path: readonly string[];
}

/** Whether a namespace begins or ends as a condition says; "*" is any label. */
export function fits({ matchType, path }: Condition, namespace: readonly string[]): boolean {
  if (namespace.length < path.length) return false;
  const part =
    matchType === 'prefix'
      ? namespace.slice(0, path.length)
      : namespace.slice(namespace.length - path.length);
  return path.every((label, i) => label === '*' || label === part[i]);
}
