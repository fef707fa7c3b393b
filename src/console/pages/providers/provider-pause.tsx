/** Pauses a provider that is configured elsewhere, for an incident: the one thing about it that the console may change. */

import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { useSession } from '../../session/session.tsx';
import { clockText } from '../../texts/time.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { useProviderPause } from './provider-changes.ts';

interface ProviderPauseProps {
  readonly provider: ConfiguredProviderView;
}

export function ProviderPause({ provider: { name, locked, state } }: ProviderPauseProps) {
  const words = useWords().providers.act;
  const session = useSession();
  const tell = useTell();
  const pause = useProviderPause(name);
  const isPaused = state === 'paused';
  const isPossible = locked && (isPaused || state === 'serving');
  if (!isPossible || !session.may('POST /console/api/providers/{name}/pause')) return null;
  const toggle = () =>
    pause.mutate(
      { paused: !isPaused },
      { onSuccess: () => tell({ text: isPaused ? words.resumed(name) : words.paused(name), tone: 'ok' }) },
    );
  return (
    <Part divided title={words.title}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Button busy={pause.isPending} kind={isPaused ? 'primary' : 'plain'} onClick={toggle}>
          {isPaused ? words.resume : words.pause}
        </Button>
        <p className="min-w-0 grow basis-48 text-xs text-quiet">{isPaused ? words.resumeHint : words.pauseHint}</p>
      </div>
      {pause.isError && <ErrorNotice error={pause.error} />}
    </Part>
  );
}

/** At the head of the panel: it says first why nothing is sent there. */
export function PausedNote({ provider: { state, pausedAt } }: ProviderPauseProps) {
  const { words, tag } = useSpeech();
  if (state !== 'paused' || pausedAt === undefined) return null;
  return (
    <p className="flex items-start gap-2 rounded-md bg-warn-wash p-3 text-sm">
      <Icon name="warn" className="mt-0.5 text-warn" />
      <span>{words.providers.pausedNote(clockText(Date.parse(pausedAt), Date.now(), tag))}</span>
    </p>
  );
}
