/** A token's form while someone fills it in: what they wrote, what is wrong with it, and when to say so. */

import { useState } from 'react';
import { AskError } from '../../api/ask.ts';
import { useWords } from '../../words/use-words.tsx';
import { type FieldErrors, fieldOfParam, mistakesOf, refusalText, type TokenForm } from './token-form.ts';

interface EditedToken {
  readonly form: TokenForm;
  readonly errors: FieldErrors;
  /** A refusal that speaks of no field of the form. */
  readonly failure: unknown;
  change(change: Partial<TokenForm>): void;
  replace(form: TokenForm): void;
  /** Sends it if nothing is wrong with it. */
  submit(send: (form: TokenForm) => void): void;
}

/** `refusal` is what the admin interface said to the last try. */
export function useTokenForm(first: () => TokenForm, refusal: unknown): EditedToken {
  const { tokens, teams } = useWords();
  const words = { ...teams.mistakes, ...tokens.mistakes };
  const [form, setForm] = useState(first);
  const [sent, setSent] = useState<TokenForm>();
  const [isTried, setTried] = useState(false);
  const mistakes = isTried ? mistakesOf(form, words, Date.now()) : {};
  const refused = refusal instanceof AskError && refusal.param !== '' ? fieldOfParam(refusal.param) : undefined;
  // What was said to a value holds for that value: the message goes when it is changed.
  const isStill = refused !== undefined && sent?.[refused] === form[refused];
  const errors: FieldErrors =
    refusal instanceof AskError && refused !== undefined && isStill
      ? { ...mistakes, [refused]: refusalText(refusal.message, refusal.param) }
      : mistakes;
  return {
    form,
    errors,
    failure: refused === undefined ? refusal : null,
    change: (change) => setForm((before) => ({ ...before, ...change })),
    replace: setForm,
    submit(send) {
      setTried(true);
      if (Object.keys(mistakesOf(form, words, Date.now())).length > 0) return;
      setSent(form);
      send(form);
    },
  };
}
