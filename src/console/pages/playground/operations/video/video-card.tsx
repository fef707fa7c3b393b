/** One ordered video: how far it is, the film itself once it is there, and the way to be rid of it. */

import { useQuery } from '@tanstack/react-query';
import { AskError } from '../../../../api/ask.ts';
import { Time } from '../../../../components/amounts.tsx';
import { Badge, type Tone } from '../../../../components/badge.tsx';
import { Button } from '../../../../components/button.tsx';
import { ErrorNotice } from '../../../../components/error-notice.tsx';
import { Skeleton } from '../../../../components/skeleton.tsx';
import { countText, shareText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import type { PlaygroundModel, PlaygroundToken, WireLog } from '../../playground-contract.ts';
import { callForJson } from '../call.ts';
import { DownloadLink } from '../download-link.tsx';
import { ownPath } from '../images/picture.ts';
import { CostFact, Fact, FactRow } from '../operation-facts.tsx';
import { silentWire } from '../silent-wire.ts';
import { MakingBar } from './making-bar.tsx';
import { finishedOf, isOver, type OrderedVideo, taskOf, type VideoState, type VideoTask } from './video-task.ts';

interface VideoCardProps {
  readonly order: OrderedVideo;
  readonly models: readonly PlaygroundModel[];
  readonly token: PlaygroundToken;
  readonly wire: WireLog;
  readonly isLeaving: boolean;
  onRemove(order: OrderedVideo, wasOver: boolean): void;
}

const askEveryMs = 1_000;
const tones: Readonly<Record<VideoState, Tone>> = {
  queued: 'plain',
  in_progress: 'accent',
  completed: 'ok',
  failed: 'bad',
};

export function VideoCard({ order, models, token, wire, isLeaving, onRemove }: VideoCardProps) {
  const words = useSpeech().words.operations.video;
  const { task, error, isGone } = useTask(order.id, token);
  const over = isGone || (task !== undefined && isOver(task));
  return (
    <article aria-label={order.prompt} className="grid gap-3 rounded-md border border-line bg-raised p-4">
      <div className="flex items-start justify-between gap-4">
        <div className="grid min-w-0 gap-1">
          <p className="break-words">{order.prompt}</p>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-quiet">
            {isGone ? (
              <Badge tone="warn">{words.states.gone}</Badge>
            ) : (
              <Badge tone={tones[task?.state ?? 'queued']} dot>
                {words.states[task?.state ?? 'queued']}
              </Badge>
            )}
            <code>{order.model}</code>
            <Time at={order.orderedAtMs} />
          </p>
        </div>
        <Button
          size="small"
          kind={over ? 'plain' : 'danger'}
          busy={isLeaving}
          aria-label={over ? words.removeThis(order.prompt) : words.cancelThis(order.prompt)}
          onClick={() => onRemove(order, over)}
        >
          {over ? words.remove : words.cancel}
        </Button>
      </div>
      <VideoFacts order={order} models={models} isOver={over} />
      {isGone && <p className="text-sm text-quiet">{words.gone}</p>}
      {error !== undefined && <ErrorNotice error={error} />}
      {task !== undefined && !over && <Making task={task} />}
      {task?.state === 'failed' && <p className="text-sm text-bad">{task.failure || words.failed}</p>}
      {task?.state === 'completed' && <Film order={order} token={token} wire={wire} />}
    </article>
  );
}

/** What it cost is known once it is made. */
function VideoFacts({
  order,
  models,
  isOver: over,
}: Pick<VideoCardProps, 'order' | 'models'> & { readonly isOver: boolean }) {
  const { facts: names } = useSpeech().words.playground;
  const { provider = '', requestId = '', model } = order;
  if (provider === '') return null;
  return (
    <FactRow>
      <Fact name={names.provider}>{provider}</Fact>
      {over && <CostFact facts={{ provider, requestId, model }} models={models} />}
    </FactRow>
  );
}

/** Asked for again and again, which the wire panel need not show. */
function useTask(id: string, token: PlaygroundToken) {
  const { data, error } = useQuery({
    queryKey: ['playground', 'video', id],
    queryFn: async ({ signal }) =>
      taskOf(await callForJson({ method: 'GET', path: `/v1/videos/${id}` }, { token, wire: silentWire, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isOver(state.data) ? false : askEveryMs),
    staleTime: 0,
    retry: false,
  });
  const isGone = error instanceof AskError && error.status === 404;
  return { task: isGone ? undefined : data, error: isGone ? undefined : (error ?? undefined), isGone };
}

function Making({ task }: { readonly task: VideoTask }) {
  const { words: all, tag } = useSpeech();
  return <MakingBar label={all.operations.video.progress} share={task.share} text={shareText(task.share, tag)} />;
}

interface FilmProps {
  readonly order: OrderedVideo;
  readonly token: PlaygroundToken;
  readonly wire: WireLog;
}

function Film({ order, token, wire }: FilmProps) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.video;
  const { data, error } = useQuery({
    queryKey: ['playground', 'film', order.id],
    queryFn: async ({ signal }) =>
      finishedOf(
        await callForJson(
          { method: 'GET', path: `/v1/video/generations/${order.id}` },
          { token, wire, model: order.model, signal },
        ),
      ),
    // Its address counts for a while; a look at another tab needs no new one.
    staleTime: 5 * 60_000,
    retry: false,
  });
  if (error !== null) return <ErrorNotice error={error} />;
  const src = data === undefined ? undefined : ownPath(data.url, location.origin);
  const { seconds, width = 16, height = 9 } = data ?? {};
  return (
    <div className="grid gap-2">
      <div
        className="max-w-xl overflow-hidden rounded-md border border-line bg-sunken"
        style={{ aspectRatio: `${width} / ${height}` }}
      >
        {src === undefined ? (
          <Skeleton className="size-full" />
        ) : (
          // biome-ignore lint/a11y/useMediaCaption: what it shows was asked for in the words above it.
          <video
            src={src}
            controls
            playsInline
            preload="metadata"
            aria-label={words.player(order.prompt)}
            className="size-full"
          />
        )}
      </div>
      <div className="flex max-w-xl items-center justify-between gap-4 text-xs text-quiet">
        <span>
          {data !== undefined &&
            seconds !== undefined &&
            words.facts(countText(seconds, tag), String(width), String(height))}
        </span>
        <DownloadLink href={src} name={`${order.id}.${data?.format ?? 'mp4'}`} what={words.player(order.prompt)} />
      </div>
    </div>
  );
}
