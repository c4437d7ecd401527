import type { EntityType } from '../entities/entity.ts';
import type { LanguageModel } from '../language-model.ts';
import { judgeEndpoints, judgeFiles } from './code-aliases.ts';
import { judgeOrganisations } from './organisation-aliases.ts';
import { judgePeople } from './person-aliases.ts';
import { judgePlaces } from './place-aliases.ts';
import { judgeTechnologies } from './technology-aliases.ts';
import { type AliasVerdict, foldName } from './verdict.ts';

/** Whether two names of one type in one user's memories name the same thing. */
export function judgeAlias(
  model: LanguageModel,
  first: string,
  second: string,
  type: EntityType,
): AliasVerdict {
  const [a, b] = [foldName(first), foldName(second)];
  if (a === b) return 'same';
  switch (type) {
    case 'PERSON':
      return judgePeople(a, b);
    case 'ORGANIZATION':
      return judgeOrganisations(a, b);
    case 'LOCATION':
      return judgePlaces(a, b);
    case 'TECHNOLOGY':
      return judgeTechnologies(model.lexicon, a, b);
    case 'PROJECT':
      return isSameProject(first, second, a, b) ? 'same' : 'no';
    case 'FILE':
      return judgeFiles(a, b);
    case 'API_ENDPOINT':
      return judgeEndpoints(a, b);
    case 'COMPONENT':
      return first.replace(/\(\)$/, '') === second.replace(/\(\)$/, '') ? 'same' : 'no';
    default:
      return 'no';
  }
}

const camelCase = /[a-z][A-Z]/;

/**
 * `Project Atlas` is `Atlas`, `billing service` is `billing-service`; a camelCase identifier is no project.
 */
function isSameProject(first: string, second: string, a: string, b: string): boolean {
  const bare = (name: string) =>
    name
      .replace(/^project\s+/, '')
      .replace(/\s+project$/, '')
      .replace(/[\s_-]+/g, '-');
  return bare(a) === bare(b) && camelCase.test(first) === camelCase.test(second);
}
