import { readFileSync } from 'node:fs';

/** A missing or damaged file of the language models. The message names the file and is for the operator. */
export class LanguageFileError extends Error {
  constructor(path: string, reason: string) {
    super(`The language models cannot be loaded: ${path} ${reason}. Install memoryd again.`);
    this.name = 'LanguageFileError';
  }
}

/** @throws LanguageFileError */
export function readLanguageFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new LanguageFileError(
      path,
      `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    );
  }
}

/** @throws LanguageFileError */
export function readJsonFile<T>(path: string): T {
  const text = readLanguageFile(path).toString('utf8');
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new LanguageFileError(path, 'is not valid JSON');
  }
}

/** Lines that are not empty. @throws LanguageFileError */
export function readLines(path: string): string[] {
  return readLanguageFile(path)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}
