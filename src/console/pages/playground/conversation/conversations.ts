/** The conversations of this tab and everything that can be done with them; the views only show its state and call it. */

import { formats } from '../formats/all-formats.ts';
import type { PlaygroundModel, PlaygroundToken, WireLog, WireRequest } from '../playground-contract.ts';
import { shownRounds, showVersion, withRound, withStep } from './branches.ts';
import { buildAsk } from './build-ask.ts';
import {
  type Attachment,
  type Conversation,
  type ConversationHead,
  emptySettings,
  type FormatName,
  type Round,
  type Settings,
  type Step,
  titleOf,
} from './conversation.ts';
import type { ConversationKeep } from './conversation-keep.ts';
import { estimatedCostNano } from './estimate-cost.ts';
import type { LiveDrafts } from './live-drafts.ts';
import { runReply } from './run-reply.ts';
import { readSettings, type SettingName } from './settings/check-settings.ts';
import { takenSettings } from './settings/taken-settings.ts';

export interface DeskState {
  readonly heads: readonly ConversationHead[];
  readonly conversation: Conversation;
  /** A stored conversation is being read; what is sent before it is there would go to another one. */
  readonly isOpening: boolean;
  /** Replies that are under way, as `replyKey` names them. */
  readonly running: ReadonlySet<string>;
}

/** How a message goes out: chosen outside the conversation, in the address and the token's place. */
export interface Way {
  readonly models: readonly string[];
  readonly format: FormatName;
  readonly catalogue: readonly PlaygroundModel[];
  readonly wire: WireLog;
  token(): Promise<PlaygroundToken>;
  /** What the books say a request cost; absent where nobody is signed in. */
  readonly costOf?: (requestId: string) => Promise<string | null | undefined>;
}

export interface Message {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const emptyMessage: Message = { text: '', attachments: [] };

interface DeskParts {
  readonly keep: ConversationKeep;
  readonly drafts: LiveDrafts;
  nowMs(): number;
  /** Since the page began, for spans of time. */
  clockMs(): number;
  newId(): string;
}

export const replyKey = (roundId: string, lane: number): string => `${roundId}/${lane}`;

/** Each model is sent what it takes itself, also beside another. */
const takenBy = (modelId: string, { format, catalogue }: Way): ReadonlySet<SettingName> =>
  takenSettings(
    format,
    catalogue.find(({ id }) => id === modelId),
  );

export class Desk {
  readonly #parts: DeskParts;
  readonly #loaded = new Map<string, Conversation>();
  readonly #running = new Map<string, { readonly conversationId: string; readonly stop: AbortController }>();
  readonly #listeners = new Set<() => void>();
  readonly #unsentListeners = new Set<() => void>();
  #state: DeskState;
  #wantedId: string | undefined;
  #unsent: Message = emptyMessage;

  constructor(parts: DeskParts, isOpening = false) {
    this.#parts = parts;
    this.#state = { heads: [], conversation: this.#blank(), isOpening, running: new Set() };
  }

  readonly state = (): DeskState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What was typed and not sent; survives a look at another tab of the playground. Told apart from the rest, because it changes with every key. */
  readonly unsent = (): Message => this.#unsent;

  readonly subscribeUnsent = (listener: () => void): (() => void) => {
    this.#unsentListeners.add(listener);
    return () => this.#unsentListeners.delete(listener);
  };

  type(changes: Partial<Message>): void {
    this.#unsent = { ...this.#unsent, ...changes };
    for (const listener of this.#unsentListeners) listener();
  }

  get drafts(): LiveDrafts {
    return this.#parts.drafts;
  }

  async loadHeads(): Promise<void> {
    const heads = await this.#parts.keep.heads().catch(() => []);
    this.#set({ heads: [...heads] });
  }

  /** An id that is not kept here, as in a link from someone else, begins a new conversation. */
  async open(id: string | undefined): Promise<void> {
    this.#wantedId = id;
    if (id === this.#state.conversation.id) return this.#set({ isOpening: false });
    let known = id === undefined ? undefined : this.#loaded.get(id);
    if (known === undefined && id !== undefined) {
      this.#set({ isOpening: true });
      known = await this.#read(id);
      // Another one was opened while this one was read.
      if (this.#wantedId !== id) return;
    }
    if (known !== undefined) this.#loaded.set(known.id, known);
    const { conversation: shown } = this.#state;
    this.#set({ isOpening: false, conversation: known ?? (shown.rounds.length === 0 ? shown : this.#blank()) });
  }

  send(message: Message, way: Way): void {
    const { leafId } = this.#state.conversation;
    this.type(emptyMessage);
    this.#ask(message, leafId, way);
  }

  /** Asks again beside what was asked, which stays as another version. */
  askAgain(round: Round, message: Message, way: Way): void {
    this.#ask(message, round.parentId, way);
  }

  answerCalls(roundId: string, lane: number, results: readonly string[], way: Way): void {
    const { conversation } = this.#state;
    const answer = conversation.rounds.find(({ id }) => id === roundId)?.answers[lane];
    const last = answer?.steps.at(-1);
    if (answer === undefined || last === undefined) return;
    const calls = last.calls.map((call, index) => ({ ...call, result: results[index] ?? '' }));
    const place = { roundId, lane, step: answer.steps.length - 1 };
    this.#change(conversation.id, (before) => withStep(before, place, { ...last, calls }));
    void this.#reply(conversation.id, roundId, lane, way);
  }

  /** The request that a press on send would make; with nothing typed the last one again, in the format that is chosen now. */
  preview(way: Way): WireRequest {
    const { conversation } = this.#state;
    const adapter = formats[way.format];
    const shown = shownRounds(conversation);
    const isTyped = this.#unsent.text !== '' || this.#unsent.attachments.length > 0 || shown.length === 0;
    const rounds = isTyped ? [...shown, { id: '', ...this.#unsent, answers: [] }] : shown;
    const model = way.models[0] ?? '';
    const { checked } = readSettings(conversation.settings, takenBy(model, way));
    return adapter.request(buildAsk({ rounds, lane: 0, model, stepsKept: 0 }, checked));
  }

  stop(): void {
    for (const { conversationId, stop } of this.#running.values()) {
      if (conversationId === this.#state.conversation.id) stop.abort();
    }
  }

  stopAll(): void {
    for (const { stop } of this.#running.values()) stop.abort();
  }

  show(roundId: string): void {
    this.#change(this.#state.conversation.id, (before) => showVersion(before, roundId));
  }

  changeSettings(changes: Partial<Settings>): void {
    const { id } = this.#state.conversation;
    this.#change(id, (before) => ({ ...before, settings: { ...before.settings, ...changes } }));
  }

  async rename(id: string, title: string): Promise<void> {
    const known = this.#loaded.get(id) ?? (await this.#read(id));
    if (known === undefined) return;
    this.#loaded.set(id, known);
    this.#change(id, (before) => ({ ...before, title: titleOf(title) || before.title }));
  }

  async remove(id: string): Promise<void> {
    for (const running of this.#running.values()) if (running.conversationId === id) running.stop.abort();
    this.#loaded.delete(id);
    await this.#parts.keep.remove(id).catch(() => undefined);
    const { heads, conversation } = this.#state;
    this.#set({
      heads: heads.filter((head) => head.id !== id),
      ...(conversation.id === id && { conversation: this.#blank() }),
    });
  }

  #ask(message: Message, parentId: string | undefined, way: Way): void {
    const { id } = this.#state.conversation;
    const round: Round = {
      id: this.#parts.newId(),
      ...(parentId !== undefined && { parentId }),
      ...message,
      answers: way.models.map((model) => ({ model, steps: [] })),
    };
    this.#change(id, (before) => ({
      ...withRound(before, round),
      title: before.title || titleOf(message.text) || (message.attachments[0]?.name ?? ''),
      models: way.models,
    }));
    for (const lane of way.models.keys()) void this.#reply(id, round.id, lane, way);
  }

  async #reply(conversationId: string, roundId: string, lane: number, way: Way): Promise<void> {
    const { drafts, clockMs } = this.#parts;
    const conversation = this.#loaded.get(conversationId);
    const rounds = conversation === undefined ? [] : shownRounds({ ...conversation, leafId: roundId });
    const answer = rounds.at(-1)?.answers[lane];
    if (conversation === undefined || answer === undefined) return;
    const adapter = formats[way.format];
    const { checked } = readSettings(conversation.settings, takenBy(answer.model, way));
    const place = { rounds, lane, model: answer.model, stepsKept: answer.steps.length };
    const key = replyKey(roundId, lane);
    const stop = new AbortController();
    this.#running.set(key, { conversationId, stop });
    this.#set({ running: new Set(this.#running.keys()) });
    const step = await this.#run(() =>
      way.token().then((token) =>
        runReply({
          adapter,
          ask: buildAsk(place, checked),
          token,
          wire: way.wire,
          signal: stop.signal,
          nowMs: clockMs,
          onDraft: (draft) => drafts.set(key, draft),
        }),
      ),
    );
    this.#running.delete(key);
    const priced = this.#withEstimate(step, answer.model, way);
    const where = { roundId, lane, step: answer.steps.length };
    this.#change(conversationId, (before) => withStep(before, where, priced));
    drafts.remove(key);
    this.#set({ running: new Set(this.#running.keys()) });
    await this.#readCost(conversationId, where, priced, way);
  }

  /** A token that cannot be had is a failure of this reply like any other. */
  async #run(reply: () => Promise<Step>): Promise<Step> {
    return reply().catch((error: unknown): Step => {
      const {
        message = '',
        code = 'error',
        requestId = '',
        status = 0,
      } = error as Partial<NonNullable<Step['failure']>>;
      return { thinking: '', text: '', calls: [], failure: { message, code, requestId, status } };
    });
  }

  #withEstimate(step: Step, modelId: string, { catalogue }: Way): Step {
    if (step.facts === undefined || step.facts.costNano !== undefined) return step;
    const model = catalogue.find(({ id }) => id === modelId);
    if (model?.isPriceUnknown === true) return { ...step, facts: { ...step.facts, costNano: null } };
    const costNano = estimatedCostNano(model, step.facts);
    if (costNano === undefined) return step;
    // What is free is free whatever the counts.
    return { ...step, facts: { ...step.facts, costNano, isCostEstimated: costNano !== '0' } };
  }

  async #readCost(
    conversationId: string,
    where: { readonly roundId: string; readonly lane: number; readonly step: number },
    step: Step,
    { costOf }: Way,
  ): Promise<void> {
    const { facts } = step;
    if (costOf === undefined || facts === undefined || facts.requestId === '' || facts.costNano === undefined) return;
    if (facts.isCostEstimated !== true) return;
    const costNano = await costOf(facts.requestId).catch(() => undefined);
    if (costNano === undefined) return;
    this.#change(conversationId, (before) => {
      const steps = before.rounds.find(({ id }) => id === where.roundId)?.answers[where.lane]?.steps;
      const latest = steps?.[where.step];
      if (latest?.facts === undefined) return before;
      return withStep(before, where, { ...latest, facts: { ...latest.facts, costNano, isCostEstimated: false } });
    });
  }

  #change(id: string, change: (before: Conversation) => Conversation): void {
    const before = this.#loaded.get(id) ?? (this.#state.conversation.id === id ? this.#state.conversation : undefined);
    // Removed while a reply was under way.
    if (before === undefined) return;
    const after = { ...change(before), changedAtMs: this.#parts.nowMs() };
    this.#loaded.set(id, after);
    const isKept = after.rounds.length > 0;
    const head = { id, title: after.title, changedAtMs: after.changedAtMs };
    const { heads, conversation } = this.#state;
    this.#set({
      ...(conversation.id === id && { conversation: after }),
      ...(isKept && { heads: [head, ...heads.filter((other) => other.id !== id)] }),
    });
    if (isKept) void this.#parts.keep.write(after).catch(() => undefined);
  }

  #read(id: string): Promise<Conversation | undefined> {
    return this.#parts.keep.read(id).catch(() => undefined);
  }

  #blank(): Conversation {
    const blank = {
      id: this.#parts.newId(),
      title: '',
      changedAtMs: this.#parts.nowMs(),
      models: [],
      settings: emptySettings,
      rounds: [],
    };
    return blank;
  }

  #set(changes: Partial<DeskState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
