/**
 * Options of a schema that the OpenAPI document writes once, in its components under this name, and refers to wherever
 * the schema stands: generated clients then have one type of it. All schemas of one name must be equal. Validators and
 * serialisers pass the option over.
 */
export function component<N extends string>(name: N): { readonly 'x-component': N } {
  return { 'x-component': name };
}

/** Options of a query parameter that is a named component. */
export function parameterComponent<N extends string>(name: N): { readonly 'x-parameter': N } {
  return { 'x-parameter': name };
}
