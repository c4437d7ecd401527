/** Stands for what a hook makes: asks `current` at every use, so that a test names it by one `const`. */
export function onceMade<T extends object>(current: () => T | undefined): T {
  const made = () => {
    const there = current();
    if (there === undefined) throw new Error('it is made in a hook, and none has run yet');
    return there;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(made(), name);
      return typeof value === 'function' ? value.bind(made()) : value;
    },
  });
}
