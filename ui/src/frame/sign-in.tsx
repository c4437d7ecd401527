import { useState } from 'preact/hooks';
import { signIn, signInNote } from '../api/session.ts';
import { words } from '../words/words.ts';

/** Asked for where there is no key; the address stays, so one is then where one wanted to be. */
export function SignIn() {
  const [isBusy, setBusy] = useState(false);
  const text = words().signIn;
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget as HTMLFormElement).get('key');
    setBusy(true);
    await signIn(String(key).trim());
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <h1>memoryd</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="key">{text.field}</label>
        <input id="key" name="key" type="password" autocomplete="off" required autofocus />
        <button type="submit" disabled={isBusy}>
          {text.button}
        </button>
        <p role="alert">{signInNote.value}</p>
        <p class="hint">{text.hint}</p>
      </form>
    </main>
  );
}
