/** The parameters of a conversation: fields for those that reach a model, and muted ones for what was filled in and does not. */

import { useId } from 'react';
import { Field, Select, TextField } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import { type ParameterName, type Parameters, parameterNames } from '../conversation.ts';
import { parameterBounds, type SettingName } from './check-settings.ts';
import { MutedWhen } from './muted-when.tsx';

interface ParameterFieldsProps {
  readonly parameters: Parameters;
  readonly faults: readonly SettingName[];
  /** Why it does not reach every model; absent where it does. */
  noteOn(name: SettingName): string | undefined;
  isOffered(name: SettingName): boolean;
  /** What every model can write at once; absent where one of them is not known. */
  readonly outputTokensMax?: number | undefined;
  onChange(parameters: Parameters): void;
}

export function ParameterFields(props: ParameterFieldsProps) {
  const { parameters, faults, noteOn, isOffered, outputTokensMax, onChange } = props;
  const words = useWords().playground.settings;
  const titleId = useId();
  const set = (name: ParameterName, value: string) => {
    const { [name]: _before, ...others } = parameters;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const shown = parameterNames.filter((name) => isOffered(name) || (parameters[name] ?? '') !== '');
  return (
    <section aria-labelledby={titleId} className="grid gap-3">
      <div className="flex items-baseline justify-between gap-4">
        <h3 id={titleId} className="text-sm font-medium">
          {words.parameters}
        </h3>
        <p className="text-xs text-quiet">{words.unset}</p>
      </div>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3">
        {shown.map((name) => (
          <MutedWhen key={name} isMuted={!isOffered(name)} className={name === 'stop' ? 'col-span-2' : ''}>
            <ParameterField
              name={name}
              value={parameters[name] ?? ''}
              note={noteOn(name)}
              isFault={faults.includes(name)}
              placeholder={name === 'maxTokens' && outputTokensMax !== undefined ? `≤ ${outputTokensMax}` : ''}
              onSet={(value) => set(name, value)}
            />
          </MutedWhen>
        ))}
      </div>
    </section>
  );
}

interface ParameterFieldProps {
  readonly name: ParameterName;
  readonly value: string;
  readonly note: string | undefined;
  readonly isFault: boolean;
  readonly placeholder: string;
  onSet(value: string): void;
}

const efforts = ['minimal', 'low', 'medium', 'high'] as const;

function ParameterField({ name, value, note, isFault, placeholder, onSet }: ParameterFieldProps) {
  const words = useWords().playground.settings;
  const shown = { label: words.names[name], ...(note !== undefined && { hint: note }) };
  if (name === 'effort') {
    return (
      <Select
        {...shown}
        value={value}
        options={[
          { value: '', label: words.efforts.unset },
          ...efforts.map((effort) => ({ value: effort, label: words.efforts[effort] })),
        ]}
        onChange={(event) => onSet(event.target.value)}
      />
    );
  }
  if (name === 'stop') {
    return (
      <TextField
        {...shown}
        hint={note ?? words.stopHint}
        rows={2}
        className="font-mono text-sm"
        value={value}
        onChange={(event) => onSet(event.target.value)}
      />
    );
  }
  const { least, most, isWhole } = parameterBounds[name];
  const range = (isWhole === true ? words.wholeRange : words.range)(`${least}`, `${most}`);
  return (
    <Field
      {...shown}
      mono
      inputMode="decimal"
      error={isFault ? range : undefined}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onSet(event.target.value)}
    />
  );
}
