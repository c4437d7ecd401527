import type { MentionDraft } from './mention-draft.ts';

const cue = /^(Project|project)$/;
const capitalised = /^\p{Lu}\w+$/u;
const capital = /^\p{Lu}/u;
/** Words after the name of a project. */
const thing = /^(repo|repository|project|codebase|schema|roadmap|launch|reports|release|build|monorepo)$/;
const repository = /^(repo|repository|codebase|monorepo)$/;
const noun = /^(NNP|NN)$/;
const beforeRepository = /^(the|our|in)$/;
const noName = /^(The|This|Our|New|Next|First|Last|That|My)$/;

/** Finds projects by the words next to them: `Project X`, `the x repo`, `X roadmap`. */
export function findProjects(draft: MentionDraft): void {
  const { words, tags } = draft.sentence;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (next === undefined || !draft.isFree(i)) continue;
    if (cue.test(word) && capitalised.test(next))
      draft.put(word === 'Project' ? i : i + 1, i + 2, 'PROJECT', 'pattern', 0.85);
    if (!thing.test(next) || !noun.test(tags[i]) || noName.test(word)) continue;
    const isLowerName = beforeRepository.test(words[i - 1] ?? '') && repository.test(next);
    if (capital.test(word) || isLowerName) draft.put(i, i + 1, 'PROJECT', 'pattern', 0.7);
  }
}
