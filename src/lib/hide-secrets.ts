/**
 * Patterns of secrets: keys of well-known services, tokens in
 * headers and URLs, values with such names, private keys.
 */
const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_](?=[\w-]{0,100}\d)[\w-]{16,}/g,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abprs]|npm|hf|cmk_live|cmk_test)[-_][\w.-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  // Only from the beginning of a run of such characters that another run follows: each is read a few times at most.
  /(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.)([\w-]*?)\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
  /(?<=\bBearer\s{1,5})[\w.~+/=-]{8,}/gi,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}(?=@)/g,
  /(?<=(?:password|passwd|secret|token|api[-_]?key|access[-_]?key)["']?\s{0,3}[:=]\s{0,3}["']?)(?=[^\s]{0,100}\d)[^\s"',;]{8,}/gi,
];

/** Matches every text that has a secret. Most texts do not match it, and each created text is tested. */
const hint =
  /PRIVATE KEY|[spr]k[-_]|gh[pousr][-_]|hub_pat|glpat|xox|npm[-_]|hf[-_]|cmk_|AKIA|eyJ|Bearer\s|:\/\/|passw|secret|token|api[-_]?key|access[-_]?key/i;

const hidden = '[hidden]';

/** The text with everything that looks like a key or a password replaced by `[hidden]`. */
export function hideSecrets(text: string): string {
  if (!hint.test(text)) return text;
  return secrets.reduce(
    (shown, secret) =>
      shown.replace(secret, (_, before: unknown) => `${typeof before === 'string' ? before : ''}${hidden}`),
    text,
  );
}

export function looksSecret(text: string): boolean {
  return hideSecrets(text) !== text;
}

/** The warning in the response to a create with such a text. */
export const secretStored =
  'The content looks like it has a key or a password. It was stored as it is, and searches answer it: delete or edit the memory unless it is meant to be there.';
