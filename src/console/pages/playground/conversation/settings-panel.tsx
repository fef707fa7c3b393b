/** Everything about a conversation besides its messages: system prompt, parameters, tools, the shape of the answer. */

import { useId } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field, Select, TextField } from '../../../components/field.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { formats } from '../formats/all-formats.ts';
import type { PlaygroundModel } from '../playground-contract.ts';
import { parameterBounds, readSettings, readTools, type SettingsFault } from './check-settings.ts';
import { type FormatName, type ParameterName, parameterNames, type Settings } from './conversation.ts';
import { schemaExample, toolExample } from './settings-examples.ts';

export interface SettingsPanelProps {
  readonly settings: Settings;
  readonly format: FormatName;
  readonly model: PlaygroundModel | undefined;
  onChange(changes: Partial<Settings>): void;
}

export function SettingsPanel({ settings, format, model, onChange }: SettingsPanelProps) {
  const words = useWords().playground.settings;
  const { faults } = readSettings(settings, formats[format].parameters);
  return (
    <div className="grid gap-6">
      <TextField
        label={words.system}
        placeholder={words.systemPlaceholder}
        rows={4}
        value={settings.system}
        onChange={(event) => onChange({ system: event.target.value })}
      />
      <ParameterFields settings={settings} format={format} model={model} faults={faults} onChange={onChange} />
      <ToolsField settings={settings} isFault={faults.includes('tools')} onChange={onChange} />
      <div className="grid gap-2">
        <TextField
          label={words.schema}
          hint={words.schemaHint}
          error={faults.includes('schema') ? words.schemaFault : undefined}
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
          value={settings.schemaText}
          onChange={(event) => onChange({ schemaText: event.target.value })}
        />
        <ExampleButtons
          isEmpty={settings.schemaText === ''}
          onExample={() => onChange({ schemaText: schemaExample })}
          onClear={() => onChange({ schemaText: '' })}
        />
      </div>
    </div>
  );
}

interface PartProps {
  readonly settings: Settings;
  onChange(changes: Partial<Settings>): void;
}

function ToolsField({ settings, isFault, onChange }: PartProps & { readonly isFault: boolean }) {
  const words = useWords().playground.settings;
  const names = (readTools(settings.toolsText) ?? []).map(({ name }) => name).join(', ');
  return (
    <div className="grid gap-2">
      <TextField
        label={words.tools}
        hint={names === '' ? words.toolsHint : words.toolsFound(names)}
        error={isFault ? words.toolsFault : undefined}
        rows={4}
        spellCheck={false}
        className="font-mono text-sm"
        value={settings.toolsText}
        onChange={(event) => onChange({ toolsText: event.target.value })}
      />
      <ExampleButtons
        isEmpty={settings.toolsText === ''}
        onExample={() => onChange({ toolsText: toolExample })}
        onClear={() => onChange({ toolsText: '' })}
      />
    </div>
  );
}

interface ExampleButtonsProps {
  readonly isEmpty: boolean;
  onExample(): void;
  onClear(): void;
}

function ExampleButtons({ isEmpty, onExample, onClear }: ExampleButtonsProps) {
  const words = useWords().playground.settings;
  return (
    <div>
      <Button size="small" kind="quiet" className="-ml-2.5" onClick={isEmpty ? onExample : onClear}>
        {isEmpty ? words.example : words.clear}
      </Button>
    </div>
  );
}

interface ParameterFieldsProps extends PartProps {
  readonly format: FormatName;
  readonly model: PlaygroundModel | undefined;
  readonly faults: readonly SettingsFault[];
}

function ParameterFields({ settings, format, model, faults, onChange }: ParameterFieldsProps) {
  const words = useWords().playground;
  const titleId = useId();
  const set = (name: ParameterName, value: string) => {
    const { [name]: _before, ...others } = settings.parameters;
    onChange({ parameters: value === '' ? others : { ...others, [name]: value } });
  };
  return (
    <section aria-labelledby={titleId} className="grid gap-3">
      <div className="flex items-baseline justify-between gap-4">
        <h3 id={titleId} className="text-sm font-medium">
          {words.settings.parameters}
        </h3>
        <p className="text-xs text-quiet">{words.settings.unset}</p>
      </div>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3">
        {parameterNames.map((name) => (
          <ParameterField
            key={name}
            name={name}
            value={settings.parameters[name] ?? ''}
            note={noteOn(name, format, model, words)}
            isFault={faults.includes(name)}
            onSet={(value) => set(name, value)}
          />
        ))}
      </div>
    </section>
  );
}

/** As the chat format names them, which is how the list of models does. */
const chatNames: Readonly<Record<ParameterName, readonly string[]>> = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxTokens: ['max_tokens', 'max_completion_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  effort: ['reasoning_effort', 'reasoning'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
};

/** Why a parameter would not reach the model; absent where it does. */
function noteOn(
  name: ParameterName,
  format: FormatName,
  model: PlaygroundModel | undefined,
  words: ReturnType<typeof useWords>['playground'],
): string | undefined {
  if (!formats[format].parameters.includes(name)) return words.settings.unsaid(words.wire.formats[format]);
  const isTaken = model?.parameters === undefined || chatNames[name].some((known) => model.parameters?.includes(known));
  return isTaken ? undefined : words.settings.unsupported;
}

interface ParameterFieldProps {
  readonly name: ParameterName;
  readonly value: string;
  readonly note: string | undefined;
  readonly isFault: boolean;
  onSet(value: string): void;
}

const efforts = ['minimal', 'low', 'medium', 'high'] as const;

function ParameterField({ name, value, note, isFault, onSet }: ParameterFieldProps) {
  const words = useWords().playground.settings;
  const shown = { label: words.names[name], disabled: note !== undefined, ...(note !== undefined && { hint: note }) };
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
      <div className="col-span-2">
        <TextField
          {...shown}
          hint={note ?? words.stopHint}
          rows={2}
          className="font-mono text-sm"
          value={value}
          onChange={(event) => onSet(event.target.value)}
        />
      </div>
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
      value={value}
      onChange={(event) => onSet(event.target.value)}
    />
  );
}
