/** A provider's base URL; where it was typed without its scheme, one press adds the one that is most likely meant. */

import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field, type FieldProps } from '../../../components/fields/field.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { withScheme } from './url-scheme.ts';

interface UrlFieldProps extends Pick<FieldProps, 'hint' | 'error' | 'optional' | 'placeholder'> {
  readonly value: string;
  onText(text: string): void;
}

export function UrlField({ value, error, onText, ...texts }: UrlFieldProps) {
  const words = useWords().providers.form;
  const [isLeft, setLeft] = useState(false);
  const whole = withScheme(value);
  const isAsked = whole !== undefined && (isLeft || error !== undefined);
  return (
    <div className="grid gap-1.5">
      <Field
        {...texts}
        label={words.baseUrl}
        error={isAsked ? words.schemeMissing : error}
        mono
        inputMode="url"
        spellCheck={false}
        value={value}
        onBlur={() => setLeft(true)}
        onChange={(event) => onText(event.target.value)}
      />
      {isAsked && (
        <div>
          <Button size="small" onClick={() => onText(whole)}>
            <span className="truncate font-mono">{words.useUrl(whole)}</span>
          </Button>
        </div>
      )}
    </div>
  );
}
