/** Sent when a client connects: the overview that an agent gets before it reads single tools. */
export const instructions = [
  'This server is your long-term memory: what you store here is found in later sessions.',
  'When work begins or the subject changes, call `recall` with the task; before you change files, `build_context` with them.',
  'Before you ask the user or decide again, call `search`.',
  'When something is decided, fixed, learned or wished for, call `remember` at once: one thing each, with the reason, in sentences that make sense on their own.',
  'What is out of date is replaced with `supersedes` or by its `name`, not deleted.',
  'An argument that takes the id of a memory takes its first 6 or more characters, or its name, as well.',
  'Never store passwords or keys.',
  'Every answer keeps within `maxTokens`; `omitted`, `truncated` and `nextOffset` say what was left out.',
].join(' ');
