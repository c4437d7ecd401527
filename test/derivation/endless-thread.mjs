/** The functions of `derive-thread.ts` with a rule that never ends, for texts that say so. */
const read = (texts) => {
  while (texts.some(({ content }) => content.startsWith('endless')));
  return texts;
};
const nothing = { isEnglish: true, skipReason: null, entities: [], facts: [], topics: [], times: [] };

export const derive = ({ texts }) => read(texts).map(() => nothing);
export const judge = ({ names }) => names.map(() => []);
export const relate = ({ texts, pairs }) => {
  read(texts);
  return pairs.map(() => null);
};
export const identifiersOf = (texts) => read(texts).map(() => []);
