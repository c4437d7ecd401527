import { Type } from 'typebox';
import type { Passage } from '../../domain/passages/passages.ts';

export const spanFields = {
  start: Type.Integer({ minimum: 0, description: 'First UTF-16 unit of `content`.' }),
  end: Type.Integer({ minimum: 0, description: 'UTF-16 unit of `content` after the last.' }),
};

const passageField = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        ...spanFields,
        headings: Type.Array(Type.String(), { description: 'Headings above it, the highest first.' }),
        tableHead: Type.Optional(Type.String({ description: 'Head of the table that it continues.' })),
      },
      { examples: [{ start: 5423, end: 6043, headings: ['Running the service', 'Backup'] }], description },
    ),
  );

export const passageFields = {
  passage: passageField('Of a content over 1,000 characters: the part that answers best.'),
  secondPassage: passageField('A part elsewhere in it that answers nearly as well; relevance is of both.'),
};

/** @param passages at most two, the best first */
export function passageRecords(passages: readonly Passage[] | undefined) {
  const [passage, secondPassage] = passages?.map((each) => ({ ...each, headings: [...each.headings] })) ?? [];
  return { passage, secondPassage };
}
