/** Which tools of providers a token, or the tokens below a level, may use. */

import { Select, TextField } from '../components/fields/field.tsx';
import { useWords } from '../words/use-words.tsx';
import { defaultTools, type ToolsForm, toolChoices } from './tools-form.ts';

interface ToolFieldsProps {
  readonly form: ToolsForm;
  readonly error?: string | undefined;
  onChange(form: ToolsForm): void;
}

export function ToolFields({ form, error, onChange }: ToolFieldsProps) {
  const words = useWords().tokens;
  const isListed = form.choice === 'listed';
  return (
    <div className="grid gap-3">
      <Select
        label={words.fields.tools}
        hint={words.toolsHint}
        options={toolChoices.map((value) => ({ value, label: words.toolChoices[value] }))}
        value={form.choice}
        error={isListed ? undefined : error}
        onChange={({ target }) =>
          onChange({ ...form, choice: toolChoices.find((one) => one === target.value) ?? defaultTools.choice })
        }
      />
      {isListed && (
        <TextField
          label={words.toolNames}
          rows={2}
          className="font-mono text-sm"
          placeholder="web_search"
          hint={words.toolNamesHint}
          value={form.list}
          error={error}
          onChange={({ target }) => onChange({ ...form, list: target.value })}
        />
      )}
    </div>
  );
}
