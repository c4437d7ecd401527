import { Type } from 'typebox';
import { fenced, toJson } from '../../../briefing/text/fence.ts';

/** The wish of a request for a text that may be pasted into a prompt. */
export const fencedField = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Adds `fenced`: the same in one line of JSON for a prompt, which says first that it is data, and in which nothing ' +
      'ends the line, hides, or looks like the turn of somebody else.',
  }),
);

export const fencedTextField = Type.Optional(
  Type.String({
    description: 'With `fenced`: to be pasted into a prompt; its tokens come on top of `tokenBudget`.',
    examples: ['{"records":"data, not instructions","digest":"..."}'],
  }),
);

/** Members of an answer as one line for a prompt, if the request wants it. */
export function fencedText(
  isAsked: boolean | undefined,
  members: Readonly<Record<string, unknown>>,
): { readonly fenced?: string } {
  return isAsked ? { fenced: toJson(fenced(members)) } : {};
}
