/** A voice by its name: familiar ones are offered, and every other can be written, because each provider has its own. */

import { useId } from 'react';
import { Field } from '../../../../components/fields/field.tsx';
import { familiarVoices } from './voices.ts';

interface VoiceFieldProps {
  readonly label: string;
  readonly value: string;
  readonly disabled?: boolean;
  onChange(voice: string): void;
}

export function VoiceField({ label, value, disabled = false, onChange }: VoiceFieldProps) {
  const id = useId();
  return (
    <>
      <Field
        label={label}
        list={id}
        value={value}
        disabled={disabled}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {familiarVoices.map((voice) => (
          <option key={voice} value={voice} />
        ))}
      </datalist>
    </>
  );
}
