/** A secret that someone types: hidden, and shown while they ask for it, so that nobody mistypes a long one. */

import { useState } from 'react';
import { useWords } from '../../words/use-words.tsx';
import { Check, Field, type FieldProps } from './field.tsx';

export function PasswordField(props: Omit<FieldProps, 'type' | 'mono'>) {
  const words = useWords().session;
  const [isShown, setShown] = useState(false);
  return (
    <div className="grid gap-2">
      <Field {...props} type={isShown ? 'text' : 'password'} spellCheck={false} autoCapitalize="none" />
      <Check label={words.showPassword} checked={isShown} onChange={(event) => setShown(event.target.checked)} />
    </div>
  );
}
