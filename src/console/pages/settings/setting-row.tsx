/** One setting: its key, its meaning, its value, where that comes from, and its control where it can be changed here. */

import { type FormEvent, useId, useState } from 'react';
import type { SettingDetailView } from '../../../admin/contracts/settings-contract.ts';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { useSession } from '../../session/session.tsx';
import { useSpeech } from '../../words/use-words.tsx';
import { Prose } from './prose.tsx';
import { SettingInput } from './setting-input.tsx';
import { draftOf, readDraft, spokenOf } from './setting-value.ts';

export const settingsPath = '/console/api/settings';

const originTones: Readonly<Record<SettingDetailView['origin'], Tone>> = {
  default: 'plain',
  file: 'warn',
  environment: 'warn',
  console: 'accent',
};

export function SettingRow({ setting }: { readonly setting: SettingDetailView }) {
  const { words: all } = useSpeech();
  const words = all.settings;
  const mayChange = useSession().may('PATCH /console/api/settings');
  const isEditable = setting.change === 'live' && mayChange;
  const id = useId();
  return (
    <li className="grid gap-x-8 gap-y-2 border-b border-line px-4 py-3 last:border-b-0 md:grid-cols-[minmax(0,1fr)_320px] lg:max-xl:grid-cols-1">
      <div className="grid min-w-0 content-start gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <code id={id} className="text-sm break-all">
            {setting.key}
          </code>
          <Badge tone={originTones[setting.origin]}>{words.origins[setting.origin]}</Badge>
        </div>
        <p className="text-sm text-pretty text-quiet">
          <Prose text={all.server.meaning(setting.key, setting.meaning)} />
        </p>
      </div>
      <div className="grid min-w-0 content-start gap-1">
        {isEditable ? <LiveSetting setting={setting} labelledBy={id} /> : <FixedSetting setting={setting} />}
      </div>
    </li>
  );
}

function FixedSetting({ setting }: { readonly setting: SettingDetailView }) {
  const { words: all, tag } = useSpeech();
  const words = all.settings;
  const spoken = spokenOf(setting.value, setting.unit, tag, all.units);
  return (
    <>
      <p className="text-sm">
        <span className="font-mono break-all">{setting.shown || words.empty}</span>
        {setting.unit !== '' && <span className="text-quiet"> {setting.unit}</span>}
        {spoken !== undefined && <span className="text-quiet"> = {spoken}</span>}
      </p>
      <p className="flex items-start gap-1.5 text-xs text-quiet">
        {setting.change !== 'live' && <Icon name="lock" className="size-3.5" />}
        <span className="min-w-0 break-words">{whereText(setting, words)}</span>
      </p>
    </>
  );
}

function whereText(setting: SettingDetailView, words: ReturnType<typeof useSpeech>['words']['settings']): string {
  if (setting.origin === 'file') return words.setInFile;
  if (setting.origin === 'environment') return words.setInEnvironment(setting.variable ?? '');
  if (setting.change === 'start') return words.atStart(setting.variable ?? setting.key);
  return setting.change === 'locked' ? words.besideSecret : words.onlyAdmins;
}

function LiveSetting({ setting, labelledBy }: { readonly setting: SettingDetailView; readonly labelledBy: string }) {
  const { words: all, tag } = useSpeech();
  const words = all.settings;
  const tell = useTell();
  const first = draftOf(setting.value, setting.control);
  const [draft, setDraft] = useState<string>();
  const shown = draft ?? first;
  const value = readDraft(shown, setting.control);
  const isChanged = shown !== first;
  const save = useChange(
    (next: unknown) => ask(settingsPath, { method: 'PATCH', body: { values: { [setting.key]: next } } }),
    [settingsPath, '/console/api/home', '/console/api/audit'],
  );
  const send = (next: unknown, note: string) =>
    save.mutate(next, {
      onSuccess: () => {
        setDraft(undefined);
        tell({ tone: 'ok', text: note });
      },
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && value !== undefined) send(value, words.settingSaved(setting.key));
  };
  const spoken = spokenOf(value, setting.unit, tag, all.units);
  const isWrong = isChanged && value === undefined;
  // A list of choices says itself what it allows.
  const isListed = setting.control.kind === 'switch' || setting.control.kind === 'choice';
  const allowed = all.server.text(setting.allowed);
  const note = isListed ? undefined : isWrong ? allowed : (spoken ?? allowed);
  return (
    <form onSubmit={submit} className="grid gap-1.5">
      <SettingInput
        control={setting.control}
        unit={setting.unit}
        value={shown}
        labelledBy={labelledBy}
        isWrong={isWrong}
        placeholder={setting.defaultShown}
        onChange={setDraft}
      />
      {note !== undefined && <p className={`text-xs ${isWrong ? 'text-bad' : 'text-quiet'}`}>{note}</p>}
      {save.error !== null && <ErrorNotice error={save.error} />}
      {isChanged && (
        <div className="flex gap-2">
          <Button type="submit" size="small" kind="primary" busy={save.isPending} disabled={value === undefined}>
            {words.save}
          </Button>
          <Button size="small" onClick={() => setDraft(undefined)}>
            {words.cancel}
          </Button>
        </div>
      )}
      {!isChanged && setting.origin === 'console' && (
        <div>
          <Button
            size="small"
            kind="quiet"
            className="-ml-2.5"
            busy={save.isPending}
            onClick={() => send(null, words.settingReset(setting.key))}
          >
            {words.backToDefault(setting.defaultShown || words.empty)}
          </Button>
        </div>
      )}
    </form>
  );
}
