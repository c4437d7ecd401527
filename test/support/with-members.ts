/** `whole` with some members replaced. The others are asked of `whole`, whether it or its class has them. */
export function withMembers<T extends object>(whole: T, members: Partial<T>): T {
  return new Proxy(whole, {
    get: (target, key) => Reflect.get(key in members ? members : target, key),
  });
}
