import type { PatternSummary } from '../../domain/patterns/pattern.ts';
import { instructionLengthMax } from './instructions.ts';

/** The instruction of a pattern, by a template of its type; the description if a person wrote it. */
export function instructionText({ type, owner, name, description, edited }: PatternSummary): string {
  if (edited.includes('description') && description !== '') return cut(description);
  const whose = owner === 'user' || owner === '' ? '' : `${owner}: `;
  switch (type) {
    case 'rule':
    case 'correction':
    case 'preference':
    case 'tool':
      return cut(`${whose}${name}.`);
    case 'habit':
      return cut(`Keep in mind: ${whose}${name}.`);
    case 'sequence':
      return cut(`${name} usually comes next.`);
    case 'temporal':
      return cut(`${description || name}`);
  }
}

function cut(text: string): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/([.!])\.$/u, '$1')
    .trim();
  return line.slice(0, instructionLengthMax).replace(/[\ud800-\udbff]$/u, '');
}
