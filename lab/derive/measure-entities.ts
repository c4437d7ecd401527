import { deriveText } from '../../src/language/derive-text.ts';
import type { EntityType } from '../../src/language/entities/entity.ts';
import type { LanguageModel } from '../../src/language/language-model.ts';
import type { LabelledNote } from './labelled.ts';
import { Scores } from './score.ts';

/** Labelled types. */
const counted: readonly EntityType[] = [
  'PERSON',
  'LOCATION',
  'ORGANIZATION',
  'TECHNOLOGY',
  'COMPONENT',
  'FILE',
  'API_ENDPOINT',
  'PROJECT',
];

/** Scores of entities; each exact text, in any case, counts once per text and type. Speakers do not count. */
export function measureEntities(model: LanguageModel, notes: readonly LabelledNote[]): Scores {
  const scores = new Scores();
  for (const { text, speaker, entities } of notes) {
    const labels = entities.map((entity) => ({
      text: entity.text.toLowerCase(),
      types: entity.types ?? (entity.type ? [entity.type] : []),
    }));
    const right = new Set<string>();
    const seen = new Set<string>();
    for (const mention of deriveText(model, text).entities) {
      const key = `${mention.type}${mention.text.toLowerCase()}`;
      if (!counted.includes(mention.type) || seen.has(key)) continue;
      seen.add(key);
      if (speaker === mention.text && mention.start === 0) continue;
      scores.add(mention.type, 'found');
      const label = labels.find(
        (one) => one.text === mention.text.toLowerCase() && one.types.includes(mention.type),
      );
      if (label) {
        scores.add(mention.type, 'right');
        right.add(label.text);
      } else scores.faults.push(`+ ${mention.text} (${mention.type}) in: ${text}`);
    }
    const counting = new Set<string>();
    for (const label of labels) {
      const type = label.types.find((one) => counted.includes(one));
      if (!type || counting.has(label.text)) continue;
      counting.add(label.text);
      scores.add(type, 'labelled');
      if (!right.has(label.text)) scores.faults.push(`- ${label.text} (${type}) in: ${text}`);
    }
  }
  return scores;
}
