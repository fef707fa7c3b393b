/** The playground once its token works: the tabs, the conversations, and the drawer beside them. */

import * as Radix from '@radix-ui/react-tabs';
import { type ComponentType, lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { IconButton } from '../../components/button.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { PageTools, SandboxBadge } from '../../frame/top-line.tsx';
import { randomId } from '../../random-id.ts';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { createConversationKeep } from './conversation/conversation-keep.ts';
import { ConversationList } from './conversation/conversation-list.tsx';
import { ConversationPanel } from './conversation/conversation-panel.tsx';
import { Desk } from './conversation/conversations.ts';
import { createLiveDrafts } from './conversation/live-drafts.ts';
import { SettingsPanel } from './conversation/settings/settings-panel.tsx';
import { Drawer } from './drawer.tsx';
import { ModelTools } from './model-tools.tsx';
import { isSandbox } from './models.ts';
import { chosenModel } from './operations/chosen-model.ts';
import { operationTabs } from './operations/tabs.ts';
import type { OperationPanelProps, PlaygroundModel, PlaygroundToken } from './playground-contract.ts';
import { useWay, type WayChoice } from './use-way.ts';
import { WirePanel } from './wire/wire-panel.tsx';
import { createWireStore, type WireStore } from './wire/wire-store.ts';

interface WorkbenchProps {
  readonly token: PlaygroundToken;
  readonly models: readonly PlaygroundModel[];
  fresh(): Promise<PlaygroundToken>;
}

const conversationTab = 'conversation';

/** Twelve times a second is as often as anybody reads a list that grows; the reply itself needs the frames between. */
const shortly = (run: () => void) => {
  setTimeout(() => soon(run), 80);
};

const soon = (run: () => void) => {
  requestAnimationFrame(run);
};

function newDesk(conversationId: string | undefined): Desk {
  const parts = {
    keep: createConversationKeep(indexedDB),
    drafts: createLiveDrafts(soon),
    nowMs: () => Date.now(),
    clockMs: () => performance.now(),
    newId: randomId,
  };
  return new Desk(parts, conversationId !== undefined);
}

const panels = new Map<string, ComponentType<OperationPanelProps>>(
  operationTabs.map((tab) => [tab.id, lazy(async () => ({ default: (await tab.load()).Panel }))]),
);

export function Workbench({ token, fresh, models }: WorkbenchProps) {
  const words = useWords();
  const [wire] = useState(() => createWireStore({ nowMs: () => performance.now(), soon: shortly }));
  const [conversationId] = useQueryWord('conversation');
  const [desk] = useState(() => newDesk(conversationId));
  const state = useSyncExternalStore(desk.subscribe, desk.state);
  const [tab = conversationTab, setTab] = useQueryWord('tab');
  const choice = useWay({ conversation: state.conversation, catalogue: models, wire, fresh });
  useEffect(() => {
    void desk.loadHeads();
    return () => desk.stopAll();
  }, [desk]);
  useEffect(() => {
    void desk.open(conversationId);
  }, [desk, conversationId]);
  const isConversation = tab === conversationTab;
  const isComparing = choice.way.models.length > 1;
  const [modelWord] = useQueryWord('model');
  const operation = operationTabs.find(({ id }) => id === tab)?.operation;
  const asked = operation === undefined ? choice.way.models : [chosenModel(models, operation, modelWord)];
  return (
    <Radix.Root
      value={tab}
      onValueChange={(next) => setTab(next === conversationTab ? undefined : next)}
      className="-mx-4 -my-6 flex h-[calc(100dvh-56px-64px)] flex-col md:-mx-8 md:h-[calc(100dvh-56px)]"
    >
      {isSandbox(models, asked) && (
        <PageTools>
          <span className="max-sm:hidden">
            <SandboxBadge />
          </span>
        </PageTools>
      )}
      <TabStrip isComparing={isComparing} />
      <div className="flex min-h-0 grow">
        <Radix.Content value={conversationTab} tabIndex={-1} className="min-w-0 grow focus-visible:outline-none">
          <ConversationTab desk={desk} state={state} choice={choice} />
        </Radix.Content>
        {operationTabs.map(({ id }) => {
          const Panel = panels.get(id);
          return (
            <Radix.Content
              key={id}
              value={id}
              className="min-w-0 grow overflow-y-auto px-4 py-6 focus-visible:outline-offset-[-2px] md:px-8"
            >
              <Suspense fallback={<SkeletonText />}>
                {Panel !== undefined && <Panel token={token} models={models} wire={wire} />}
              </Suspense>
            </Radix.Content>
          );
        })}
        <WorkDrawer desk={desk} wire={wire} choice={choice} isConversation={isConversation} />
      </div>
      <span className="sr-only" role="status">
        {state.running.size > 0 ? words.playground.turn.writing : ''}
      </span>
    </Radix.Root>
  );
}

const triggerShape =
  'h-10 cursor-pointer border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-quiet ' +
  'transition-colors duration-[120ms] hover:text-text focus-visible:outline-offset-[-2px] ' +
  'data-[state=active]:border-accent data-[state=active]:text-text';

function TabStrip({ isComparing }: { readonly isComparing: boolean }) {
  const words = useWords();
  return (
    <div className="flex shrink-0 items-center border-b border-line">
      <Radix.List
        aria-label={words.playground.tabs.label}
        className="-mb-px flex min-w-0 grow overflow-x-auto px-1 [scrollbar-width:none] md:px-5"
      >
        <Radix.Trigger value={conversationTab} className={triggerShape}>
          {words.playground.tabs.conversation}
        </Radix.Trigger>
        {operationTabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className={triggerShape}>
            {tab.title(words)}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <DrawerSwitches isComparing={isComparing} />
    </div>
  );
}

/** On a wide page the settings are open from the start; everywhere else, and where models are compared, the page begins with the work. */
function useDrawer(isConversation: boolean, isComparing: boolean) {
  const [word, setWord] = useQueryWord('drawer', { replace: true });
  const isWide = matchMedia('(min-width: 1280px)').matches;
  const shown = word ?? (isConversation && isWide && !isComparing ? 'settings' : 'none');
  return [shown === 'settings' && !isConversation ? 'none' : shown, setWord] as const;
}

function DrawerSwitches({ isComparing }: { readonly isComparing: boolean }) {
  const words = useWords().playground;
  const [tab = conversationTab] = useQueryWord('tab');
  const isConversation = tab === conversationTab;
  const [drawer, setDrawer] = useDrawer(isConversation, isComparing);
  const toggle = (name: string) => setDrawer(drawer === name ? 'none' : name);
  return (
    <div className="flex shrink-0 items-center gap-1 border-l border-line px-2">
      {isConversation && (
        <IconButton
          icon="settings"
          label={words.settings.open}
          aria-pressed={drawer === 'settings'}
          className="aria-pressed:bg-pressed aria-pressed:text-text"
          onClick={() => toggle('settings')}
        />
      )}
      <IconButton
        icon="wire"
        label={words.wire.open}
        aria-pressed={drawer === 'wire'}
        className="aria-pressed:bg-pressed aria-pressed:text-text"
        onClick={() => toggle('wire')}
      />
    </div>
  );
}

interface TabProps {
  readonly desk: Desk;
  readonly choice: WayChoice;
}

function ConversationTab({ desk, state, choice }: TabProps & { readonly state: ReturnType<Desk['state']> }) {
  const navigation = useNavigation();
  const words = useWords().playground.conversations;
  const [list, setList] = useQueryWord('list');
  const { conversation, heads } = state;
  const open = (id: string | undefined) => {
    const changes = {
      conversation: id,
      list: undefined,
      ...(id !== undefined && { model: undefined, beside: undefined }),
    };
    navigation.go(withQuery(navigation.address(), changes));
  };
  const conversations = <ConversationList desk={desk} heads={heads} currentId={conversation.id} onOpen={open} />;
  return (
    <div className="flex h-full min-h-0">
      <nav
        aria-label={words.title}
        className={`hidden w-60 shrink-0 flex-col border-r border-line p-3 ${choice.way.models.length > 1 ? '' : 'min-[1200px]:flex'}`}
      >
        {conversations}
      </nav>
      <div className="min-w-0 grow">
        {state.isOpening ? (
          <SkeletonText />
        ) : (
          <ConversationPanel
            desk={desk}
            state={state}
            way={choice.way}
            tools={<ModelTools choice={choice} onList={() => setList('open')} />}
            onSent={() =>
              navigation.go(withQuery(navigation.address(), { conversation: desk.state().conversation.id }), {
                replace: true,
              })
            }
          />
        )}
      </div>
      <SidePanel open={list === 'open'} title={words.title} onClose={() => setList(undefined)}>
        {conversations}
      </SidePanel>
    </div>
  );
}

function WorkDrawer({
  desk,
  wire,
  choice,
  isConversation,
}: TabProps & { readonly wire: WireStore; readonly isConversation: boolean }) {
  const words = useWords().playground;
  const [drawer, setDrawer] = useDrawer(isConversation, choice.way.models.length > 1);
  const state = useSyncExternalStore(desk.subscribe, desk.state);
  // The preview follows what is typed.
  useSyncExternalStore(desk.subscribeUnsent, desk.unsent);
  const { way, setFormat } = choice;
  if (drawer === 'settings') {
    return (
      <Drawer title={words.settings.title} onClose={() => setDrawer('none')}>
        <SettingsPanel
          settings={state.conversation.settings}
          format={way.format}
          models={way.models.map((name) => way.catalogue.find(({ id }) => id === name))}
          onChange={(changes) => desk.changeSettings(changes)}
        />
      </Drawer>
    );
  }
  if (drawer !== 'wire') return null;
  return (
    <Drawer title={words.wire.title} onClose={() => setDrawer('none')}>
      <WirePanel
        store={wire}
        {...(isConversation && { next: { format: way.format, request: desk.preview(way), onFormat: setFormat } })}
      />
    </Drawer>
  );
}
