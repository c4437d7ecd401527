import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

interface KnownName<P extends Record<string, TSchema>> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: 'read' | 'write';
  readonly isDestructive?: boolean;
  readonly properties: P;
  readonly output: TObject;
  run(context: ToolContext, args: Static<TObject<P>>): Promise<ToolOutput>;
}

const ignored = Type.Optional(
  Type.Array(Type.String(), { description: 'Arguments that have no effect here.' }),
);
const ignoredMax = 10;

/**
 * A tool under a name that agents of this API learned elsewhere. Only some of their
 * arguments are known: the response lists the unsupported ones, and the call proceeds.
 */
export function knownName<P extends Record<string, TSchema>>(tool: KnownName<P>): Tool {
  const { properties, output, run, ...rest } = tool;
  return defineTool({
    ...rest,
    input: Type.Object(properties),
    output: Type.Object({ ...output.properties, ignored }),
    run: async (context, args) => {
      const others = Object.keys(args as object).filter((name) => !Object.hasOwn(properties, name));
      const names = others.slice(0, ignoredMax).map((name) => name.slice(0, 40));
      const response = await run(context, args as Static<TObject<P>>);
      return names.length > 0 ? { ...response, ignored: names } : response;
    },
  });
}
