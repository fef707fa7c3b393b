/** One model's whole story: what it can do, who serves it, what it costs, how requests find their way, and where one would go now. */

import type { ModelDetailView, RouteView } from '../../../admin/contracts/configuration-contract.ts';
import { AskError } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { type Tab, Tabs } from '../../components/tabs.tsx';
import { useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { ExplainRequest } from './explain-request.tsx';
import { ModelAbout } from './model-about.tsx';
import { ModelActions } from './model-actions.tsx';
import { ModelPrices } from './model-prices.tsx';
import { ModelRoute } from './route/model-route.tsx';
import { modelPath } from './route-changes.ts';

interface ModelPanelProps {
  /** Absent: closed. */
  readonly id: string | undefined;
  /** Of the list of routes: patterns are only there. Absent while they are on their way. */
  readonly routes: readonly RouteView[] | undefined;
  onClose(): void;
}

const refreshMs = 5_000;

export function ModelPanel({ id, routes, onClose }: ModelPanelProps) {
  return (
    <SidePanel
      open={id !== undefined}
      title={<span className="font-mono text-base">{id}</span>}
      size="wide"
      onClose={onClose}
    >
      {id !== undefined && (
        // Another model is another story: nothing typed for one may stay for the next.
        <Story key={id} id={id} route={routes?.find(({ alias }) => alias === id)} onGone={onClose} />
      )}
    </SidePanel>
  );
}

interface StoryProps {
  readonly id: string;
  readonly route: RouteView | undefined;
  onGone(): void;
}

function Story({ id, route, onGone }: StoryProps) {
  const words = useWords().models.panel;
  const isPattern = id.includes('*');
  const story = useAsk<ModelDetailView>(modelPath(id), { everyMs: refreshMs, when: !isPattern });
  if (story.data?.id === id) return <Views story={story.data} onGone={onGone} />;
  // What is a route but not served, or stands for many names, has only its route to show.
  if (route !== undefined && (isPattern || isMissing(story.error))) {
    return (
      <div className="grid gap-5">
        {isPattern && <p className="text-sm text-quiet">{words.noStory}</p>}
        <ModelRoute id={id} route={route} targets={[]} onGone={onGone} />
      </div>
    );
  }
  if (isMissing(story.error) || (isPattern && route === undefined)) {
    return (
      <EmptyState icon="models" title={words.gone}>
        {words.goneHint}
      </EmptyState>
    );
  }
  if (story.isError) return <ErrorNotice error={story.error} onAgain={() => void story.refetch()} />;
  return <SkeletonText lines={8} />;
}

const isMissing = (error: unknown): boolean => error instanceof AskError && error.status === 404;

function Views({ story, onGone }: { readonly story: ModelDetailView; readonly onGone: () => void }) {
  const words = useWords().models.panel;
  const session = useSession();
  const [view, setView] = useQueryWord('view', { replace: true });
  const tabs: readonly Tab[] = [
    { id: 'about', label: words.about, content: <ModelAbout story={story} /> },
    ...(session.may('GET /console/api/routes')
      ? [
          {
            id: 'route',
            label: words.route,
            content: <ModelRoute id={story.id} route={story.route} targets={story.targets} onGone={onGone} />,
          },
        ]
      : []),
    { id: 'prices', label: words.prices, content: <ModelPrices story={story} /> },
    ...(session.may('POST /console/api/explain')
      ? [
          {
            id: 'explain',
            label: words.explain,
            content: <ExplainRequest model={story.id} operations={story.operations} />,
          },
        ]
      : []),
  ];
  const shown = tabs.some(({ id }) => id === view) ? view : undefined;
  return (
    <>
      <ModelActions story={story} />
      <Tabs
        label={words.views}
        tabs={tabs}
        opensBy="press"
        value={shown ?? 'about'}
        onChange={(next) => setView(next === 'about' ? undefined : next)}
      />
    </>
  );
}
