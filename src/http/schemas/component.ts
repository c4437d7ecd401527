/**
 * Options of a named schema: the OpenAPI document writes it once, in its components,
 * and refers to it elsewhere, so generated clients have one type for it. All schemas
 * of one name must be equal. Validators and serializers ignore the option.
 */
export function component<N extends string>(name: N): { readonly 'x-component': N } {
  return { 'x-component': name };
}

/** Options of a query parameter that is a named component. */
export function parameterComponent<N extends string>(name: N): { readonly 'x-parameter': N } {
  return { 'x-parameter': name };
}
