/** One video task beside the list: the video itself, its facts, and in words what went wrong where something did. */

import type { TaskRowView } from '../../../admin/contracts/settings-contract.ts';
import { Duration, Money, Time } from '../../components/amounts.tsx';
import { Id } from '../../components/code-block.tsx';
import { StoryFacts } from '../../components/fact-grid.tsx';
import { Icon } from '../../components/icon.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { Link } from '../../router/router.tsx';
import { countText } from '../../texts/number.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { shownVideos } from './shown-videos.ts';
import { StateBadge, TaskProgress } from './task-columns.tsx';
import { TaskPrompt } from './task-prompt.tsx';

interface TaskPanelProps {
  readonly task: TaskRowView | undefined;
  onClose(): void;
}

export function TaskPanel({ task, onClose }: TaskPanelProps) {
  return (
    <SidePanel open={task !== undefined} title={task?.model ?? ''} onClose={onClose}>
      {task !== undefined && <Story key={task.id} task={task} />}
    </SidePanel>
  );
}

function Story({ task }: { readonly task: TaskRowView }) {
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center gap-4">
        <StateBadge task={task} />
        <TaskProgress task={task} />
      </div>
      <Failure task={task} />
      <TaskPrompt requestId={task.requestId} />
      <Videos task={task} />
      <Facts task={task} />
    </div>
  );
}

function Failure({ task: { error } }: { readonly task: TaskRowView }) {
  const words = useWords();
  if (error === undefined) return null;
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-md border border-line border-l-bad bg-raised p-3 [border-left-width:3px]"
    >
      <Icon name="bad" className="mt-0.5 text-bad" />
      <div className="grid min-w-0 gap-1">
        <p className="font-medium">{words.tasks.failedTitle}</p>
        <p className="break-words">{words.server.text(error.message)}</p>
        <p className="text-xs text-quiet">
          {words.parts.code} <span className="font-mono text-text">{error.code}</span>
        </p>
      </div>
    </div>
  );
}

function Videos({ task }: { readonly task: TaskRowView }) {
  const words = useWords().tasks;
  if (task.isDeleted) return <p className="text-quiet">{words.wasDeleted}</p>;
  if (task.state === 'queued' || task.state === 'in_progress') return <p className="text-quiet">{words.notYet}</p>;
  const videos = shownVideos(task);
  if (videos.length === 0) return task.state === 'completed' ? <p className="text-quiet">{words.expired}</p> : null;
  return (
    <div className="grid gap-4">
      {videos.map(({ path, mediaType }, index) => (
        <div key={path} className="grid gap-2">
          {/* biome-ignore lint/a11y/useMediaCaption: nobody has captions for a video that a model just made. */}
          <video
            src={path}
            controls
            playsInline
            preload="metadata"
            aria-label={words.player}
            className="aspect-video w-full rounded-md border border-line bg-sunken"
          />
          <div>
            <a
              href={path}
              download={`${task.id}-${index + 1}.${extensionOf(mediaType)}`}
              className="inline-flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-3 text-sm font-medium hover:bg-sunken"
            >
              <Icon name="download" />
              {videos.length === 1 ? words.download : words.downloadNumber(index + 1)}
            </a>
          </div>
        </div>
      ))}
    </div>
  );
}

function extensionOf(mediaType: string): string {
  return /^video\/([a-z0-9]+)/.exec(mediaType)?.[1] ?? 'mp4';
}

function Facts({ task }: { readonly task: TaskRowView }) {
  const { words, tag } = useSpeech();
  const { facts: names, seconds, toRequest } = words.tasks;
  const link = 'text-accent underline-offset-2 hover:underline';
  const tookMs = task.endedAt === undefined ? undefined : Date.parse(task.endedAt) - Date.parse(task.createdAt);
  return (
    <StoryFacts
      facts={[
        { label: names.provider, value: task.provider },
        {
          label: names.token,
          value: (
            <Link to={`/console/tokens?${new URLSearchParams({ token: task.tokenId })}`} className={link}>
              {task.tokenName ?? task.tokenId}
            </Link>
          ),
        },
        task.seconds !== undefined && { label: names.length, value: seconds(countText(task.seconds, tag)) },
        task.size !== undefined && { label: names.size, value: task.size },
        { label: names.created, value: <Time at={task.createdAt} /> },
        tookMs !== undefined && { label: names.took, value: <Duration ms={tookMs} /> },
        task.expiresAt !== undefined && { label: names.expires, value: <Time at={task.expiresAt} /> },
        task.costUsd !== undefined && {
          label: names.cost,
          value: <Money nano={task.costUsd && nanoOfUsd(task.costUsd)} />,
        },
        { label: names.id, value: <Id value={task.id} what={names.id} />, columns: 3 },
        {
          label: words.parts.requestId,
          value: (
            <span className="grid gap-1">
              <Id value={task.requestId} what={words.parts.requestId} />
              <Link
                to={`/console/requests?${new URLSearchParams({ request: task.requestId })}`}
                className={`${link} justify-self-start`}
              >
                {toRequest}
              </Link>
            </span>
          ),
          columns: 3,
        },
      ]}
    />
  );
}
