/** Everything about a conversation besides its messages: system prompt, parameters, tools, the shape of the answer; what the models do not take is not offered. */

import { Button } from '../../../../components/button.tsx';
import { TextField } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { PlaygroundModel } from '../../playground-contract.ts';
import type { FormatName, Settings } from '../conversation.ts';
import { readSettings, readTools, type SettingName } from './check-settings.ts';
import { MutedWhen } from './muted-when.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { schemaExample, toolExample } from './settings-examples.ts';
import { isOffered, type Standing, settingNames, smallestReply, standingOf } from './taken-settings.ts';

interface SettingsPanelProps {
  readonly settings: Settings;
  readonly format: FormatName;
  /** Those that are asked; one that the list does not name is undefined. */
  readonly models: readonly (PlaygroundModel | undefined)[];
  onChange(changes: Partial<Settings>): void;
}

export function SettingsPanel({ settings, format, models, onChange }: SettingsPanelProps) {
  const words = useWords().playground;
  const standings = new Map(settingNames.map((name) => [name, standingOf(name, format, models)]));
  const standing = (name: SettingName): Standing => standings.get(name) ?? { kind: 'sent' };
  const offers = (name: SettingName) => isOffered(standing(name));
  const { faults } = readSettings(settings, new Set(settingNames.filter(offers)));
  const noteOn = (name: SettingName) =>
    noteOf(standing(name), words.wire.formats[format], models.length, words.settings);
  const isShown = (name: SettingName) => offers(name) || textOf(settings, name) !== '';
  const hidden = settingNames.filter((name) => !isShown(name));
  return (
    <div className="grid gap-6">
      <TextField
        label={words.settings.system}
        placeholder={words.settings.systemPlaceholder}
        rows={4}
        value={settings.system}
        onChange={(event) => onChange({ system: event.target.value })}
      />
      <ParameterFields
        parameters={settings.parameters}
        faults={faults}
        noteOn={noteOn}
        isOffered={offers}
        outputTokensMax={smallestReply(models)}
        onChange={(parameters) => onChange({ parameters })}
      />
      {isShown('tools') && (
        <MutedWhen isMuted={!offers('tools')}>
          <ToolsField
            text={settings.toolsText}
            note={noteOn('tools')}
            isFault={faults.includes('tools')}
            onChange={(toolsText) => onChange({ toolsText })}
          />
        </MutedWhen>
      )}
      {isShown('schema') && (
        <MutedWhen isMuted={!offers('schema')}>
          <SchemaField
            text={settings.schemaText}
            note={noteOn('schema')}
            isFault={faults.includes('schema')}
            onChange={(schemaText) => onChange({ schemaText })}
          />
        </MutedWhen>
      )}
      {hidden.length > 0 && (
        <p className="text-xs text-quiet">
          {words.settings.hidden(hidden.map((name) => titleOf(name, words.settings)).join(', '))}
        </p>
      )}
    </div>
  );
}

type SettingsWords = ReturnType<typeof useWords>['playground']['settings'];

function titleOf(name: SettingName, words: SettingsWords): string {
  return name === 'tools' || name === 'schema' ? words[name] : words.names[name];
}

function textOf({ toolsText, schemaText, parameters }: Settings, name: SettingName): string {
  if (name === 'tools') return toolsText;
  return name === 'schema' ? schemaText : (parameters[name] ?? '');
}

function noteOf(standing: Standing, format: string, models: number, words: SettingsWords): string | undefined {
  if (standing.kind === 'unsaid') return words.unsaid(format);
  if (standing.kind === 'refused') return words.refused(models);
  return standing.kind === 'partly' ? words.partly(standing.without.join(', ')) : undefined;
}

interface TextSettingProps {
  readonly text: string;
  readonly note: string | undefined;
  readonly isFault: boolean;
  onChange(text: string): void;
}

function ToolsField({ text, note, isFault, onChange }: TextSettingProps) {
  const words = useWords().playground.settings;
  const names = (readTools(text) ?? []).map(({ name }) => name).join(', ');
  return (
    <>
      <TextField
        label={words.tools}
        hint={note ?? (names === '' ? words.toolsHint : words.toolsFound(names))}
        error={isFault ? words.toolsFault : undefined}
        rows={4}
        spellCheck={false}
        className="font-mono text-sm"
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <ExampleButtons isEmpty={text === ''} onExample={() => onChange(toolExample)} onClear={() => onChange('')} />
    </>
  );
}

function SchemaField({ text, note, isFault, onChange }: TextSettingProps) {
  const words = useWords().playground.settings;
  return (
    <>
      <TextField
        label={words.schema}
        hint={note ?? words.schemaHint}
        error={isFault ? words.schemaFault : undefined}
        rows={4}
        spellCheck={false}
        className="font-mono text-sm"
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <ExampleButtons isEmpty={text === ''} onExample={() => onChange(schemaExample)} onClear={() => onChange('')} />
    </>
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
