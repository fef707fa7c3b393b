/** Client and provider speak one format: bytes pass as they came while a tap reads them; only fields that must change are edited. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import type { Loss } from '../../conversation/parts.ts';
import { utf8Text } from '../../conversation/texts/utf8-text.ts';
import type { WrittenText } from '../../conversation/texts/written-text.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ExactFields, Fitting, Format, Patch, ProviderFault, StreamTap, Tree } from '../../formats/format.ts';
import { doubledFields } from '../../http/json/doubled-keys.ts';
import type { SlicedBytes } from '../../http/json/in-slices.ts';
import { editFields, editingInSlices, type FieldEdits } from '../../http/json/json-body.ts';
import { addressOf } from '../../providers/address.ts';
import { textEdits } from '../../providers/body-edits.ts';
import { fitToHost, type HostFitting } from '../../providers/host-words.ts';
import type { Target } from '../../routing/catalogue.ts';
import { lossesAt, profileAt } from '../../routing/target-profile.ts';
import type { Frame } from '../../upstream/frame-reader.ts';
import type { ConversationCall } from '../admission/call.ts';
import { CutFrames } from './cut-frames.ts';
import { type EarlierTurns, withEarlier } from './earlier-turns.ts';
import { exactField } from './exact-field.ts';
import type { LaneThoughts } from './kept-thoughts.ts';
import { type ConversationLane, type Delivery, type LaneKind, noLosses, type Passage } from './lane.ts';
import { usageAtEnd } from './usage-at-end.ts';

const colon = 0x3a;
const none: ReadonlyMap<string, string> = new Map();

export interface SameFormatParts {
  readonly earlier: EarlierTurns | undefined;
  /** Of a model that needs its thinking back. */
  readonly thoughts: LaneThoughts | undefined;
  /** What the server is known to drop of the request. */
  readonly dropped: readonly Loss[];
}

export class SameFormatLane implements ConversationLane, ExactFields {
  readonly passesHeaders = true;
  readonly url: string;
  readonly #format: Format;
  readonly losses: readonly Loss[];
  readonly #call: ConversationCall;
  readonly #target: Target;
  readonly #patch: Patch;
  readonly #earlier: EarlierTurns | undefined;
  /** Of a model that needs its thinking back. */
  readonly #thoughts: LaneThoughts | undefined;
  /** The body with the earlier turns and without what the target refuses. */
  readonly #tree: Tree;
  /** What the target refuses of the body. */
  readonly #fitting: Fitting | undefined;
  /** What the host refuses of it and of the client's headers. */
  readonly #host: HostFitting | undefined;

  constructor(call: ConversationCall, target: Target, { earlier: given, thoughts, dropped }: SameFormatParts) {
    this.#format = call.format;
    this.#thoughts = thoughts;
    // Thinking is put back in formats that have no earlier turns to put in.
    const earlier = given ?? thoughts?.restored?.turns;
    const address = addressOf(target.provider, call.format.name, target.model, call.facts.stream);
    this.url = call.format.furtherAddress?.(address) ?? address;
    this.#call = call;
    this.#target = target;
    this.#earlier = earlier;
    const tree = earlier === undefined ? call.body.tree : withEarlier(call.body.tree, earlier);
    this.#fitting = this.#fit(tree, profileAt(target, call.passHeaders));
    this.#tree = this.#fitting?.tree ?? tree;
    const words = target.provider.quirks.hostWords?.[call.format.name];
    this.#host = words === undefined ? undefined : fitToHost(words, this.#tree, call.passHeaders);
    const fitted = this.#fitting && lossesAt(target, this.#fitting.losses, call.passHeaders);
    this.losses = allLosses(call.losses, fitted, this.#host?.losses, dropped.length === 0 ? undefined : dropped);
    this.#patch = this.#patchFor(target.model === call.facts.model ? undefined : target.model);
  }

  #fit(tree: Tree, profile: ModelProfile): Fitting | undefined {
    const { rejectsFields, keepsReplies } = this.#target.provider.quirks;
    const fitting = this.#format.fit?.(tree, profile, this, { looksUpIds: keepsReplies === true });
    return rejectsFields === undefined ? fitting : withoutFields(tree, rejectsFields, fitting);
  }

  exactly(field: string): unknown {
    if (this.#earlier?.has(field) === true) return this.#earlier.get(field);
    return exactField(this.#call.body, field);
  }

  #patchFor(upstreamModel: string | undefined): Patch {
    const { rejectsStreamOptions, limitIsMaxTokens } = this.#target.provider.quirks;
    const mayAskUsage = rejectsStreamOptions !== true;
    return this.#format.patch(this.#tree, { upstreamModel, mayAskUsage, limitIsMaxTokens });
  }

  get passedHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#host === undefined ? this.#call.passHeaders : this.#host.headers;
  }

  get restored(): readonly string[] | undefined {
    return this.#thoughts?.restored?.places;
  }

  get restoredBytes(): number | undefined {
    return this.#thoughts?.restored?.bytes;
  }

  get providerFormat(): string {
    return this.#format.name;
  }

  get sent(): Tree {
    const sent: Record<string, unknown> = { ...this.#call.body.tree };
    for (const [name, text] of this.#edits(this.#patch)) {
      if (text === undefined) delete sent[name];
      else sent[name] = JSON.parse(text);
    }
    return sent;
  }

  /** Replacing the model's name does not count as a change. */
  get kind(): LaneKind {
    const isAsItCame = this.#call.body.fields !== undefined && this.#edits(this.#patchFor(undefined)).size === 0;
    return isAsItCame ? 'forward' : 'patch';
  }

  body(): Uint8Array<ArrayBuffer> {
    return editFields(this.#call.body, this.#edits(this.#patch));
  }

  printer(): SlicedBytes {
    return editingInSlices(this.#call.body, this.#edits(this.#patch));
  }

  #edits({ edits }: Patch): FieldEdits {
    const { bodyEdits } = this.#target.provider.quirks;
    const { body, facts } = this.#call;
    const doubled = facts.limitHomes === undefined ? undefined : doubledFields(body, facts.limitHomes);
    const fitting = this.#fitting?.edits;
    const host = this.#host?.edits;
    const isPlain = bodyEdits === undefined && this.#earlier === undefined && doubled === undefined;
    if (isPlain && fitting === undefined && host === undefined) return edits;
    // Of a field that occurs twice a provider may read the occurrence that was not checked: such a field is printed again.
    const all = new Map<string, string | undefined>(doubled);
    for (const [name, value] of this.#earlier ?? [])
      all.set(name, value === undefined ? undefined : JSON.stringify(value));
    for (const [name, text] of fitting ?? []) all.set(name, text);
    for (const [name, text] of edits) all.set(name, text);
    for (const [name, value] of host ?? []) all.set(name, value === undefined ? undefined : JSON.stringify(value));
    const own = bodyEdits?.[this.#format.name];
    if (own !== undefined) {
      for (const [name, text] of textEdits(own, body.tree, this.passedHeaders)) all.set(name, text);
    }
    return all;
  }

  whole(bytes: Uint8Array<ArrayBuffer>): Delivery {
    const reply: unknown = JSON.parse(utf8Text(bytes));
    const { usage, written } = this.#format.measureReply(reply);
    const { field, turns, keep } = this.#thoughts ?? {};
    const remembering =
      field !== undefined && isObject(reply)
        ? keep?.(turns?.inReply(this.#call.body.tree, reply, field) ?? none)
        : undefined;
    return { bytes, reply, usage, written, losses: noLosses, remembering };
  }

  usageAtEnd(text: string): Usage | undefined {
    return usageAtEnd(this.#format, text);
  }

  readFault(body: string): ProviderFault | undefined {
    return this.#format.readFault(body);
  }

  stream(): Passage {
    const { hidesUsage } = this.#patch;
    const collected = this.#thoughts?.turns.collector(this.#call.body.tree, this.#thoughts.field);
    const { usageInside } = this.#target.provider.quirks;
    const tap = this.#format.tap({ hidesUsage, usageInside, thoughts: collected });
    const passage = new TappedPassage(this.#format, tap, this.#call.requestId);
    const { keep } = this.#thoughts ?? {};
    if (collected !== undefined && keep !== undefined) passage.atEnd = () => keep(collected.byKey);
    return passage;
  }
}

/** Fields that the host refuses, beside those that the model refuses. */
function withoutFields(tree: Tree, names: readonly string[], fitting: Fitting | undefined): Fitting | undefined {
  if (!names.some((name) => tree[name] !== undefined)) return fitting;
  const edits = new Map(fitting?.edits);
  const losses = new LossList();
  const left: Record<string, unknown> = { ...(fitting?.tree ?? tree) };
  for (const name of names) {
    const value = tree[name];
    if (value === undefined) continue;
    edits.set(name, undefined);
    delete left[name];
    // `store: false` is met by a provider that cannot store.
    const isLost = value !== null && (name !== 'store' || value === true);
    if (isLost) losses.add(name, 'is rejected by the provider');
  }
  return { edits, tree: left, losses: [...(fitting?.losses ?? noLosses), ...losses.all] };
}

function allLosses(...lists: readonly (readonly Loss[] | undefined)[]): readonly Loss[] {
  const given = lists.filter((list) => list !== undefined);
  return given.length < 2 ? (given[0] ?? noLosses) : given.flat();
}

class TappedPassage implements Passage {
  readonly losses = noLosses;
  ended = false;
  lastEvent: string | undefined;
  /** What is kept of the whole stream, if anything is. */
  atEnd: (() => Promise<void> | undefined) | undefined;
  remembering: Promise<void> | undefined;
  readonly #format: Format;
  readonly #tap: StreamTap;
  readonly #requestId: string;
  #begun = false;
  /** Made with the first frame from which bytes are cut. */
  #cutFrames: CutFrames | undefined;

  constructor(format: Format, tap: StreamTap, requestId: string) {
    this.#format = format;
    this.#tap = tap;
    this.#requestId = requestId;
  }

  take(frame: Frame): Uint8Array | undefined | 'fault' {
    if (frame.data === undefined) {
      // A provider's comments are its own keep-alives; ours are written where the client needs them.
      return frame.raw[0] !== colon && this.#begun ? frame.raw : undefined;
    }
    const verdict = this.#tap.read(frame.data, frame.event);
    if (verdict === 'fault') return 'fault';
    if (verdict === 'hide') return undefined;
    this.#begun = true;
    if (verdict === 'end') {
      this.#end();
      this.lastEvent = frame.data;
    }
    return verdict === 'cut' ? this.#cut(frame.raw) : frame.raw;
  }

  #cut(raw: Uint8Array): Uint8Array {
    const range = this.#tap.cutIn?.(raw);
    if (range === undefined) return raw;
    this.#cutFrames ??= new CutFrames();
    return this.#cutFrames.without(raw, range);
  }

  finish(): undefined {
    this.#end();
  }

  #end(): void {
    if (!this.ended) this.remembering = this.atEnd?.();
    this.ended = true;
  }

  failureText(error: GatewayError): string {
    const { sequence, reply } = this.#tap;
    return this.#format.errorEvent(error, { requestId: this.#requestId, ownLibrary: true, sequence, reply });
  }

  get finished(): boolean {
    return this.#tap.finished;
  }

  get fault(): ProviderFault | undefined {
    return this.#tap.fault;
  }

  get made(): readonly string[] | undefined {
    return this.#tap.made;
  }

  get usage(): Usage {
    return this.#tap.usage;
  }

  get usageIsFinal(): boolean {
    return this.#tap.usageIsFinal;
  }

  get written(): WrittenText {
    return this.#tap.written;
  }
}
