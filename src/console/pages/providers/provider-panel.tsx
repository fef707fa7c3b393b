/** One provider's whole story: how it is reached, with which keys, what it has, whether it answers now, and what may be done to it. */

import { useState } from 'react';
import type { ConfiguredProviderView, RemovedSecrets } from '../../../admin/contracts/configuration-contract.ts';
import { Count } from '../../components/amounts.tsx';
import { Button } from '../../components/button.tsx';
import { Code, Id } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { Part } from '../../components/part.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { Link } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { ConnectionForm } from './connection-form.tsx';
import { Fact, FactList } from './facts.tsx';
import { addressOf } from './find-providers.ts';
import { LockedNote, OriginBadge, ProblemNote, useOriginText } from './origin-badge.tsx';
import { ProviderActions } from './provider-actions.tsx';
import { ProviderBadges } from './provider-card.tsx';
import { useProviderTrial } from './provider-changes.ts';
import { ProviderHealth } from './provider-health.tsx';
import { ProviderKeys } from './provider-keys.tsx';
import { PausedNote, ProviderPause } from './provider-pause.tsx';
import { TrialResult, TrialRunning } from './trial.tsx';

interface ProviderPanelProps {
  /** As the address calls it; absent: closed. */
  readonly name: string | undefined;
  /** Absent while they are on their way. */
  readonly providers: readonly ConfiguredProviderView[] | undefined;
  onClose(): void;
}

export function ProviderPanel({ name, providers, onClose }: ProviderPanelProps) {
  const words = useWords().providers.panel;
  const provider = providers?.find((candidate) => addressOf(candidate) === name);
  return (
    <SidePanel
      open={name !== undefined}
      title={
        <span className="flex items-center gap-3">
          <span className="truncate">{provider?.name ?? name}</span>
          {provider !== undefined && <ProviderBadges provider={provider} />}
        </span>
      }
      onClose={onClose}
    >
      {providers === undefined && <SkeletonText lines={6} />}
      {providers !== undefined && provider === undefined && name !== undefined && (
        <EmptyState icon="providers" title={words.gone}>
          {words.goneHint}
        </EmptyState>
      )}
      {/* Another provider is another story: nothing typed or tested for one may stay for the next. */}
      {provider !== undefined && <Story key={addressOf(provider)} provider={provider} onGone={onClose} />}
    </SidePanel>
  );
}

function Story({ provider, onGone }: { readonly provider: ConfiguredProviderView; readonly onGone: () => void }) {
  const words = useWords().providers;
  const session = useSession();
  const originText = useOriginText();
  const mayChange = session.may('PATCH /console/api/providers/{name}');
  const editable = !provider.locked && mayChange;
  return (
    <div className="grid min-w-0 gap-5">
      <PausedNote provider={provider} />
      {provider.locked && <LockedNote text={words.lockedHint(originText(provider))} />}
      {provider.problem !== undefined && <ProblemNote title={words.problem} text={provider.problem} />}
      <ProviderPause provider={provider} />
      {provider.problem === undefined && session.may('POST /console/api/providers/{name}/trial') && (
        <Trial name={provider.name} />
      )}
      <ProviderHealth provider={provider} />
      <Connection provider={provider} editable={editable} />
      <ProviderKeys provider={provider} editable={editable} />
      <Models provider={provider} />
      <Routes provider={provider} />
      {editable && <ProviderActions provider={provider} onGone={onGone} />}
    </div>
  );
}

function Trial({ name }: { readonly name: string }) {
  const words = useWords().providers.trial;
  const trial = useProviderTrial(name);
  return (
    <Part
      divided
      title={words.title}
      tools={
        <Button size="small" icon="again" busy={trial.isPending} onClick={() => trial.mutate()}>
          {trial.isIdle ? words.run : words.again}
        </Button>
      }
    >
      {trial.isIdle && <p className="text-sm text-quiet">{words.hint}</p>}
      {trial.isPending && <TrialRunning />}
      {trial.isError && <ErrorNotice error={trial.error} onAgain={() => trial.mutate()} />}
      {trial.isSuccess && <TrialResult trial={trial.data} />}
    </Part>
  );
}

function Connection({ provider, editable }: { readonly provider: ConfiguredProviderView; readonly editable: boolean }) {
  const words = useWords().providers;
  const [editing, setEditing] = useState(false);
  const [removed, setRemoved] = useState<RemovedSecrets>();
  const done = (lost?: RemovedSecrets) => {
    setRemoved(lost);
    setEditing(false);
  };
  return (
    <Part
      divided
      title={words.panel.connection}
      tools={
        editable && !editing ? (
          <Button size="small" icon="edit" onClick={() => setEditing(true)}>
            {words.panel.edit}
          </Button>
        ) : undefined
      }
    >
      {removed !== undefined && !editing && <RemovedNote removed={removed} provider={provider} />}
      {editing ? <ConnectionForm provider={provider} onDone={done} /> : <ConnectionFacts provider={provider} />}
    </Part>
  );
}

/** Stays until the panel is closed or the connection is edited again: someone has to enter the keys. */
function RemovedNote({
  removed,
  provider,
}: {
  readonly removed: RemovedSecrets;
  readonly provider: ConfiguredProviderView;
}) {
  const words = useWords().providers.panel;
  const because = removed.because.join(', ');
  const keysGone = removed.keys.length > 0 && provider.keys.length === 0;
  return (
    <>
      {keysGone && <ProblemNote title={words.keysRemoved(because)} text={words.enterAgain} />}
      {removed.headers.length > 0 && (
        <ProblemNote title={words.headersRemoved(removed.headers.join(', '), because)} text={words.enterAgain} />
      )}
    </>
  );
}

function ConnectionFacts({ provider }: { readonly provider: ConfiguredProviderView }) {
  const words = useWords().providers;
  const { entry } = provider;
  return (
    <FactList>
      <Fact name={words.panel.address}>
        <Id value={provider.baseUrl} what={words.panel.address} />
      </Fact>
      <Fact name={words.panel.kind}>
        <Code>{provider.kind}</Code>
      </Fact>
      <Fact name={words.panel.origin}>
        <OriginBadge {...provider} />
      </Fact>
      {entry.region !== undefined && <Fact name={words.panel.region}>{entry.region}</Fact>}
      {entry.proxy !== undefined && (
        <Fact name={words.panel.proxy}>
          <Code>{entry.proxy}</Code>
        </Fact>
      )}
      <Pairs name={words.panel.settings} pairs={entry.settings} />
      <Pairs name={words.panel.headers} pairs={entry.headers} />
      <Fact name={words.inFlight}>
        <Count value={provider.health.inFlight} />
      </Fact>
    </FactList>
  );
}

function Pairs({
  name,
  pairs,
}: {
  readonly name: string;
  readonly pairs: Readonly<Record<string, string>> | undefined;
}) {
  const entries = Object.entries(pairs ?? {});
  if (entries.length === 0) return null;
  return (
    <Fact name={name}>
      <ul className="grid gap-1">
        {entries.map(([key, value]) => (
          <li key={key}>
            <Code>{`${key}: ${value}`}</Code>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

const modelsShownMax = 12;

function Models({ provider }: { readonly provider: ConfiguredProviderView }) {
  const words = useWords().providers.panel;
  const [all, setAll] = useState(false);
  const { models } = provider;
  const title = provider.entry.models === undefined ? words.found : words.fixed;
  const shown = all ? models : models?.slice(0, modelsShownMax);
  return (
    <Part
      divided
      title={title}
      tools={
        models && (
          <span className="text-sm text-quiet">
            <Count value={models.length} />
          </span>
        )
      }
    >
      {models === undefined || models.length === 0 ? (
        <p className="text-sm text-quiet">{words.noModels}</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {shown?.map((model) => (
            <li key={model} className="min-w-0">
              <Link
                to={`/console/models?filter=${encodeURIComponent(model)}`}
                className="block truncate rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs hover:bg-pressed"
              >
                {model}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {models !== undefined && !all && models.length > modelsShownMax && (
        <div>
          <Button size="small" kind="quiet" onClick={() => setAll(true)}>
            {words.showAll(models.length)}
          </Button>
        </div>
      )}
    </Part>
  );
}

function Routes({ provider }: { readonly provider: ConfiguredProviderView }) {
  const words = useWords().providers.panel;
  return (
    <Part divided title={words.routes}>
      {provider.routes.length === 0 ? (
        <p className="text-sm text-quiet">{words.noRoutes}</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {provider.routes.map((route) => (
            <li key={route} className="min-w-0">
              <Link
                to={`/console/models?model=${encodeURIComponent(route)}`}
                className="block truncate rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs hover:bg-pressed"
              >
                {route}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
