import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A text in a file of mode 0600, readable only by its owner, while a person edits it. */
export class EditedFile {
  readonly path: string;
  readonly #folder: string;
  readonly #before: string;

  constructor(text: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'memoryd-edit-'));
    this.path = join(this.#folder, 'memory.md');
    this.#before = text;
    writeFileSync(this.path, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  }

  /**
   * Runs the editor and waits for its end.
   * @param editor words of a shell, as EDITOR has them
   * @returns the text; undefined if it is unchanged
   * @throws Error if the editor fails
   */
  edit(editor: string): string | undefined {
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', this.path], {
      stdio: 'inherit',
    });
    if (error) throw new Error(`The editor ${editor} cannot be started: ${error.message}`);
    if (status !== 0) throw new Error(`The editor ${editor} ended with ${status}: nothing was changed.`);
    return this.read();
  }

  /** The text; undefined if it is unchanged. */
  read(): string | undefined {
    const written = readFileSync(this.path, 'utf8');
    // Editors end the last line.
    const after = this.#before.endsWith('\n') ? written : written.replace(/\r?\n$/, '');
    return after === this.#before ? undefined : after;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
