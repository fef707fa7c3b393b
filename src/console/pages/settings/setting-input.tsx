/** The control that a setting's kind of value needs; its label is the setting's own name beside it. */

import type { SettingControl } from '../../../admin/contracts/settings-contract.ts';
import { inputShape } from '../../components/fields/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/use-words.tsx';

interface SettingInputProps {
  readonly control: SettingControl;
  readonly unit: string;
  readonly value: string;
  readonly labelledBy: string;
  readonly isWrong: boolean;
  readonly placeholder: string;
  onChange(value: string): void;
}

export function SettingInput({ control, unit, value, labelledBy, isWrong, placeholder, onChange }: SettingInputProps) {
  const words = useWords().settings;
  const border = isWrong ? 'border-bad' : 'border-line-strong';
  const named = { 'aria-labelledby': labelledBy, 'aria-invalid': isWrong || undefined };
  if (control.kind === 'switch' || control.kind === 'choice') {
    const options =
      control.kind === 'switch'
        ? [
            { value: 'true', label: words.on },
            { value: 'false', label: words.off },
          ]
        : control.choices.map((choice) => ({ value: choice, label: choice }));
    return (
      <span className="relative block">
        <select
          {...named}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={`${inputShape} ${border} h-8 cursor-pointer appearance-none pr-8 pl-2.5 text-sm`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <Icon name="chevron" className="pointer-events-none absolute top-2 right-2.5 text-quiet" />
      </span>
    );
  }
  if (control.kind === 'list') {
    return (
      <textarea
        {...named}
        rows={2}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        className={`${inputShape} ${border} px-2.5 py-1.5 font-mono text-sm`}
      />
    );
  }
  return (
    <span className="relative block">
      <input
        {...named}
        type="text"
        inputMode={control.kind === 'number' ? 'numeric' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        className={`${inputShape} ${border} h-8 px-2.5 font-mono text-sm ${unit === '' ? '' : 'pr-14'}`}
      />
      {unit !== '' && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center text-xs text-quiet"
        >
          {unit}
        </span>
      )}
    </span>
  );
}
