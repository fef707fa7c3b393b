/**
 * The contract of a wire format as the relay uses it. The relay names no format; a new one is a folder and an endpoint.
 */

import type { Affinity } from '../conversation/caching/affinity.ts';
import type { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import type { ModelProfile } from '../conversation/model-profile.ts';
import type { Needs } from '../conversation/needs.ts';
import type { Loss } from '../conversation/parts.ts';
import type { References } from '../conversation/references/references.ts';
import type { WrittenText } from '../conversation/texts/written-text.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Codec, NamedRequest } from './codec.ts';
import type { RequestFields } from './fields/field-table.ts';

export type { Tree };

export type FormatName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-completions'
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'cohere-chat';

/** The few facts of a request that routing, limits and money need. */
export interface RequestFacts {
  readonly model: string;
  readonly stream: boolean;
  /** How many independent replies are asked for. */
  readonly candidates: number;
  /**
   * The largest limit on one reply's tokens that some server may obey, if the request sets a field of the format's own.
   */
  readonly outputTokensMax: number | undefined;
  /** Where the format's own limit is absent: the largest one of another spelling, which some servers obey and others do not. */
  readonly outputTokensOther?: number | undefined;
  /** Thinking that is asked for in tokens; some servers count it beside the limit. */
  readonly thinkingTokensMax?: number | undefined;
  /** An upper bound of the input tokens of this body, for every tokenizer. */
  readonly inputTokensMax: number;
  /** How many images are counted in it, at what is assumed for one before the model is known; absent where there are none. */
  readonly images?: number | undefined;
  /** By how much the place that is to serve it may cost more, in percent. */
  readonly surchargePercent?: number | undefined;
  /** The first field whose input tokens the body's length does not bound: its content is elsewhere, or compressed. */
  readonly inputUnbounded?: string | undefined;
  /** How often one request may fill the model's context: several prompts, rounds of tools that the provider runs. Once where absent. */
  readonly contextReadsMax?: number | undefined;
  /** How many searches of the web the provider's own tools may make; absent where none is asked for. */
  readonly webSearchesMax?: number | undefined;
  /** It excludes priority service, which costs more. */
  readonly neverPriority?: boolean | undefined;
  /** The provider finishes it even if the client disconnects, and may then not report its usage. */
  readonly runsOn?: boolean;
  /** Top-level fields that hold limits inside. */
  readonly limitHomes?: readonly string[] | undefined;
}

/** What must change in a body that stays in its format. */
export interface Patch {
  /** Top-level fields to set, as JSON texts, or to leave out (`undefined`). */
  readonly edits: ReadonlyMap<string, string | undefined>;
  /** Usage was requested by Weir itself: its frame is hidden from the client. */
  readonly hidesUsage: boolean;
}

export interface PatchNeeds {
  /** The model's name at the provider, where the body must carry another one than it does. */
  readonly upstreamModel: string | undefined;
  /** May usage be asked for in a stream? */
  readonly mayAskUsage: boolean;
  /** Does the target accept the reply's limit under its older name only? Another target may obey any name. */
  readonly limitIsMaxTokens?: boolean | undefined;
}

/** What must change in a body that stays in its format, for the model that it is sent to. */
export interface Fitting {
  /** Top-level fields to set, as JSON texts, or to leave out (`undefined`). */
  readonly edits: ReadonlyMap<string, string | undefined>;
  /** The body with these edits. */
  readonly tree: Tree;
  readonly losses: readonly Loss[];
}

/**
 * The thinking of earlier turns in a body of the format, by keys that say which turn it was: the id of a call, and more where such
 * ids are only counted. `field` is the name under which the provider wants it back.
 */
export interface TurnThoughts {
  /** The keys of turns that came without their thinking. Reads only. */
  missing(tree: Tree, field: string): readonly string[];
  /** The turns (`messages`, exactly as they came) with what is known of their thinking; undefined where that is nothing. */
  restored(exact: unknown, field: string, find: (key: string) => string | undefined): RestoredThoughts | undefined;
  /** The thinking of a whole reply to this body. */
  inReply(tree: Tree, reply: Tree, field: string): ReadonlyMap<string, string>;
  /** The same of a stream. */
  collector(tree: Tree, field: string): ThoughtCollector;
}

export interface RestoredThoughts {
  /** The top-level field that changes. */
  readonly turns: ReadonlyMap<string, unknown>;
  /** Where something was put back. */
  readonly places: readonly string[];
  readonly bytes: number;
}

export interface ThoughtCollector {
  /** A choice of a chunk. */
  add(choice: Tree): void;
  readonly byKey: ReadonlyMap<string, string>;
}

export interface TapOptions {
  readonly hidesUsage: boolean;
  readonly usageInside: string | undefined;
  /** Reads along, where the model needs its thinking back. */
  readonly thoughts?: ThoughtCollector | undefined;
}

/** What matters of the host beside the model. */
export interface HostFacts {
  /** It looks up what it stored by the ids in a body. */
  readonly looksUpIds: boolean;
}

/** The body's fields once more, for those that have to be printed again. */
export interface ExactFields {
  /** A top-level field whose numbers print as they were spelled, however many digits they have. */
  exactly(field: string): unknown;
}

/** What a provider reported as the failure, in its own words. */
export interface ProviderFault {
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
}

/** A stretch of a frame's bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * `pass` goes to the client, `hide` does not, `cut` goes without the bytes that `StreamTap.cutIn` finds, `end` is the terminal
 * marker and goes to the client.
 */
export type FrameVerdict = 'pass' | 'hide' | 'cut' | 'end' | 'fault';

/** Reads a stream while it passes. Throws a SyntaxError on a frame that is not of the format. */
export interface StreamTap {
  read(data: string, event: string | undefined): FrameVerdict;
  /** Which bytes of a frame the client is not to see, once `read` said `cut`; undefined where the frame passes as it is. */
  cutIn?(raw: Uint8Array): ByteRange | undefined;
  /** Set when `read` said `fault`. */
  readonly fault: ProviderFault | undefined;
  /** What was reported so far. Before `usageIsFinal` its output is a running count or a placeholder. */
  readonly usage: Usage;
  /** The provider reported the usage of the whole reply: no estimate is needed, however the stream ends. */
  readonly usageIsFinal: boolean;
  /** A terminal marker was seen: later bytes, or their absence, do not matter. */
  readonly finished: boolean;
  /** What the model wrote so far, for an estimate where no usage is reported. */
  readonly written: WrittenText;
  /** The number of the last event, in formats that count them. */
  readonly sequence?: number | undefined;
  /** The reply as its first event announced it, in formats whose every stream event belongs to one reply. */
  readonly reply?: Tree | undefined;
  /** Ids that the stream created so far (`Format.madeIn`), some perhaps twice; absent where there are none yet. */
  readonly made?: readonly string[] | undefined;
}

export interface WholeReply {
  readonly usage: Usage;
  /** Empty where usage was reported, since no estimate is needed then. */
  readonly written: WrittenText;
}

/** The reader of an error: some envelopes carry the request id, some differ by the client's library. */
export interface ErrorReader {
  readonly requestId: string;
  /** The request carried headers of the format's own library. */
  readonly ownLibrary: boolean;
  /** What the tap saw last of a stream that the error ends (`StreamTap.sequence` and `StreamTap.reply`). */
  readonly sequence?: number | undefined;
  readonly reply?: Tree | undefined;
}

/** Every format can write an error; that is all a path without a working endpoint needs. */
export interface ErrorWriter {
  errorBody(error: GatewayError, reader: ErrorReader): string;
  /** What is left of rate limits under the format's own names, given the usual headers. Absent: it has no others. */
  limitHeaders?(given: Readonly<Record<string, string>>, nowMs: number): Readonly<Record<string, string>>;
}

/** How a format asks for the size of a request without running it. */
export interface InputCounting {
  /** The request that is to be counted, where the body wraps it. */
  requestIn(tree: Tree): Tree;
  /** Throws a GatewayError that names the field. */
  check(tree: Tree, bodyBytes: number, named?: NamedRequest): Pick<RequestFacts, 'model' | 'inputTokensMax'>;
  /** Where a provider counts, given where it answers. */
  addressFrom(address: string): string;
  /** What the provider counted; undefined where the reply says nothing of the kind. */
  readCount(reply: unknown): number | undefined;
  writeCount(tokens: number): object;
}

/** How a format continues an earlier reply that Weir stored, in wire form: items are stored as they were sent. */
/** A reply that the provider finishes in the background, as it shows it now. */
export interface BackgroundState {
  readonly runs: boolean;
  readonly begun: boolean;
  /** The provider's own failure. */
  readonly failed: boolean;
  /** Absent while it runs, and where the provider does not report it. */
  readonly usage: Usage | undefined;
}

export interface ReplyMemory {
  /** The field that names the earlier reply, for errors about it. */
  readonly previousField: string;
  /** The id of the reply that the request continues. */
  previousId(request: Tree): string | undefined;
  /** Does the client want to refer to the reply later? */
  wantsKept(request: Tree): boolean;
  /** The request as a reply echoes it that is not stored. */
  unkept(request: Tree): Tree;
  /**
   * Top-level fields that put earlier turns before the request's own; `undefined` leaves a field out. Providers that look
   * ids up (`looksUp`) refuse turns that are nothing but an id they do not have, so those are left out for them.
   */
  continued(request: Tree, earlier: readonly unknown[], looksUp: boolean): ReadonlyMap<string, unknown>;
  /** What was said to the model, the earlier turns included. */
  asked(request: Tree, earlier: readonly unknown[]): readonly unknown[];
  /** What the model answered, in a form that is valid in a later request. */
  answered(reply: Tree): readonly unknown[];
  idOf(reply: Tree): string | undefined;
  /** Items of a reply that Weir wrote itself, by the ids that a later request may name instead of sending them. */
  ownItems(reply: Tree): ReadonlyMap<string, unknown>;
  /** The ids of such items that a request names. Reads only. */
  namedItems(request: Tree): readonly string[];
  /** The same turns (`input`, exactly as they came) with these items in the place of their ids. */
  withItems(exact: unknown, items: ReadonlyMap<string, unknown>): unknown;
  /** The top-level field that holds the turns. */
  readonly turnsField: string;
  /** The reply that the last event of a stream carries, whether the event came as data or with its framing. */
  replyIn(lastEvent: string): Tree | undefined;
}

export interface Format extends ErrorWriter {
  readonly name: FormatName;
  /** Absent where no reply outlives its request. Throws a SyntaxError for a state that it does not know. */
  readonly backgroundState?: (reply: Tree) => BackgroundState;
  /** To and from every other format. */
  readonly codec: Codec;
  /** What its documented fields can make a provider do. */
  readonly fields: RequestFields;
  /**
   * Checks what must hold before anything is spent; throws a GatewayError that names the field. `named` is what the path
   * said, in formats whose body names neither the model nor whether to stream.
   */
  check(tree: Tree, bodyBytes: number, named?: NamedRequest): RequestFacts;
  /** Checks what can be judged only where the whole conversation is at hand; throws a GatewayError that names the field. */
  checkWhole?(tree: Tree): void;
  patch(tree: Tree, needs: PatchNeeds): Patch;
  /** What a model of this profile refuses of the body; undefined where it takes all of it. The same as `fitToModel`, on the format's own fields. */
  fit?(tree: Tree, profile: ModelProfile, exact?: ExactFields, host?: HostFacts): Fitting | undefined;
  /** What the request asks of the model that answers it. Never throws, also where `check` would. */
  needs?(tree: Tree): Needs;
  /** What identifies the turns of the request's conversation; undefined where nothing does. Never throws. */
  affinityOf?(tree: Tree): Affinity | undefined;
  /** The end user whom the request is for, as it names them; undefined where it names none. Never throws. */
  endUserOf?(tree: Tree): string | undefined;
  /** What the caller says about the request in keys of its own. */
  metadataOf?(tree: Tree): Tree | undefined;
  /**
   * What the request names that a provider keeps, or is to call; undefined where it names nothing. Never throws. What `memory`
   * looks for is not among it.
   */
  references?(tree: Tree): References | undefined;
  /** Ids that a provider's reply created and that later requests may name. */
  madeIn?(reply: Tree): readonly string[];
  /** The same of a part of a stream that only this format has. */
  madeInPart?(value: Tree): readonly string[];
  /** For formats whose thinking some models need back and some clients drop. */
  readonly turnThoughts?: TurnThoughts;
  tap(options: TapOptions): StreamTap;
  /** What a whole reply used. Throws a SyntaxError where it is not of the format. */
  measureReply(tree: unknown): WholeReply;
  /** The least that `measureReply` takes for a reply: the field of its content, empty. */
  readonly emptyReply: Tree;
  readFault(body: string): ProviderFault | undefined;
  /** The last thing a client sees of a stream that broke. */
  errorEvent(error: GatewayError, reader: ErrorReader): string;
  /** Request headers that mean something to providers of this format. */
  readonly passHeaders: readonly string[];
  /** Bytes that keep an idle connection alive and that no client takes for an event. */
  readonly keepAlive: string;
  /** Absent where the format has no such question. */
  readonly counting?: InputCounting;
  /** Absent where a request always carries its whole conversation. */
  readonly memory?: ReplyMemory;
  /**
   * Set where these are requests of another endpoint of the format: where they go, given where the format's own do. Only providers
   * that keep replies are known to have more than the one endpoint; others are asked through the codec.
   */
  readonly furtherAddress?: (address: string) => string;
  /** A stream is one JSON array instead of events, for clients that ask for it that way. */
  readonly framing?: 'json-array';
}
