/** Client and provider speak different formats: the request and the reply go through the neutral conversation. */

import { withCacheMarks } from '../../conversation/caching/cache-marks.ts';
import { failureOf } from '../../conversation/failure.ts';
import { LostQuestion, withoutEmptiedTurns } from '../../conversation/fit/emptied-turns.ts';
import { rulesFor } from '../../conversation/fit/rules-for.ts';
import { withPossibleChoice } from '../../conversation/fit/tool-choice.ts';
import { fitToModel } from '../../conversation/fit-model.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import type { Loss, Origin } from '../../conversation/parts.ts';
import { repair } from '../../conversation/repair/repair.ts';
import {
  collectSealedTurns,
  reliablyCarried,
  type SealedTurn,
  SealedTurnCollector,
} from '../../conversation/seals/sealed-turns.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest, ToolDeclaration } from '../../conversation/text-request.ts';
import { utf8Text } from '../../conversation/texts/utf8-text.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { specialTools, withKnownTools } from '../../conversation/tools/special-tools.ts';
import { withFittingNames, withOriginalName, withOriginalNames } from '../../conversation/tools/tool-names.ts';
import { laterUsage, type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { ReadContext, ReplyContext, StreamReader, StreamWriter } from '../../formats/codec.ts';
import type { Format, ProviderFault, Tree } from '../../formats/format.ts';
import { JsonPrinter } from '../../http/json/json-printer.ts';
import { addressOf } from '../../providers/address.ts';
import { editedTree } from '../../providers/body-edits.ts';
import { fitToHost } from '../../providers/host-words.ts';
import type { Quirks } from '../../providers/provider.ts';
import type { Target } from '../../routing/catalogue.ts';
import { lossesAt, profileAt } from '../../routing/target-profile.ts';
import type { Frame } from '../../upstream/frame-reader.ts';
import type { ConversationCall } from '../admission/call.ts';
import { withEarlier } from './earlier-turns.ts';
import { type ConversationLane, type Delivery, noLosses, type Passage } from './lane.ts';
import { lossNames } from './loss-names.ts';
import type { NeutralRequest } from './neutral-request.ts';
import { usageAtEnd } from './usage-at-end.ts';

const encoder = new TextEncoder();

interface TranslateParts {
  /** The time of day. */
  wallMs(): number;
  newId(prefix: string): string;
  /** Are caches marked for callers whose format has no marks? */
  readonly marksCaches: boolean;
  /** The largest reply of the model, where it is known. */
  readonly outputTokensMax: number | undefined;
  /** Seals of earlier turns that are no longer remembered. */
  readonly forgotten: readonly Loss[];
  /** Keeps the seals that the client cannot send back; a promise where they are shared with other replicas. */
  remember(turns: ReadonlyMap<string, SealedTurn>): Promise<void> | undefined;
}

/** The conversation as the target takes it, not yet written in its format. */
interface FittedRequest {
  readonly profile: ModelProfile;
  readonly origin: Origin;
  readonly value: TextRequest;
  readonly losses: readonly (readonly Loss[])[];
  /** The client's names of tools by those that the provider knows. */
  readonly names: ReadonlyMap<string, string>;
  /** The client's tools that only some formats know as they are. */
  readonly tools: ReadonlyMap<string, ToolDeclaration> | undefined;
}

export function fittedRequest(target: Target, format: Format, neutral: NeutralRequest): FittedRequest {
  const origin = { format: format.name, provider: target.provider.name, model: target.model };
  const { rules } = format.codec;
  const profile = profileAt(target);
  const tools = specialTools(neutral.value.tools);
  const withTools = withKnownTools(neutral.value, {
    freeform: rules.freeformTools !== undefined && (profile.freeformTools ?? rules.freeformTools) === 'taken',
    namespaces: rules.namespaces === true,
  });
  const named = withFittingNames(withTools, rules.toolName);
  const own = new LossList();
  const chosen = withPossibleChoice(named.value, format.name, own);
  const fitted = fitToModel(withQuestion(chosen, target, format, own), profile, rules);
  const repaired = repair(fitted.value, rulesFor(rules, profile), origin);
  const losses = [own.all, fitted.losses, repaired.losses];
  return { profile, origin, value: repaired.value, losses, names: named.originals, tools };
}

/** Throws where the target would get nothing of what is asked; another one may take it. */
function withQuestion(request: TextRequest, { provider }: Target, format: Format, losses: LossList): TextRequest {
  const { holdsMedia } = format.codec;
  const messages = withoutEmptiedTurns(request.messages, { format: format.name, holdsMedia }, losses);
  if (messages === request.messages) return request;
  if (!(messages instanceof LostQuestion)) return { ...request, messages };
  const message = `Nothing of the question would reach the provider ${provider.name}: it does not support ${messages.kind} there. Add a text, or choose a model that takes it.`;
  throw new GatewayError('loss_refused', message, { param: messages.kind });
}

export class TranslateLane implements ConversationLane {
  readonly kind = 'translate';
  /** Headers of the client's library are meant for providers of its own format. */
  readonly passesHeaders: boolean;
  readonly passedHeaders: Readonly<Record<string, string>> | undefined;
  readonly url: string;
  readonly #format: Format;
  readonly losses: readonly Loss[];
  readonly restoredBytes: number | undefined;
  readonly #call: ConversationCall;
  readonly #target: Target;
  readonly #origin: Origin;
  readonly #parts: TranslateParts;
  readonly #body: Tree;
  readonly #names: ReadonlyMap<string, string>;
  readonly #tools: ReadonlyMap<string, ToolDeclaration> | undefined;

  constructor(
    call: ConversationCall,
    target: Target,
    format: Format,
    neutral: NeutralRequest,
    fitted: FittedRequest,
    parts: TranslateParts,
  ) {
    this.#format = format;
    this.url = addressOf(target.provider, format.name, target.model, call.facts.stream);
    this.#call = call;
    this.#target = target;
    this.#parts = parts;
    this.restoredBytes = neutral.restoredBytes;
    const { profile, origin } = fitted;
    this.#origin = origin;
    this.#tools = fitted.tools;
    this.#names = fitted.names;
    const { quirks } = target.provider;
    const caching = parts.marksCaches && takesMarks(format, call.format, quirks) ? profile.caching : undefined;
    const marked = caching === undefined ? fitted.value : withCacheMarks(fitted.value, caching);
    const { outputTokensMax } = parts;
    const written = format.codec.writeRequest(
      { ...marked, model: target.model },
      {
        origin,
        profile,
        quirks,
        outputTokensMax,
        keepsByDefault: call.format.memory !== undefined,
        derived: neutral.derived,
      },
    );
    this.passesHeaders = format.name === call.format.name;
    const words = quirks.hostWords?.[format.name];
    const host = words === undefined ? undefined : fitToHost(words, written.value, call.passHeaders);
    this.passedHeaders = host === undefined ? call.passHeaders : host.headers;
    const body = host === undefined ? written.value : withEarlier(written.value, host.edits);
    const edits = quirks.bodyEdits?.[format.name];
    this.#body = edits === undefined ? body : editedTree(edits, body, this.passedHeaders);
    const unfit = lossesAt(target, joined([...fitted.losses, written.losses]));
    this.losses = joined([call.losses ?? noLosses, neutral.losses, unfit, host?.losses ?? noLosses, parts.forgotten]);
  }

  get providerFormat(): string {
    return this.#format.name;
  }

  get sent(): Tree {
    return this.#body;
  }

  body(): Uint8Array<ArrayBuffer> {
    return encoder.encode(JSON.stringify(this.#body));
  }

  printer(): JsonPrinter {
    return new JsonPrinter(this.#body);
  }

  whole(bytes: Uint8Array<ArrayBuffer>): Delivery {
    const read = this.#format.codec.readReply(JSON.parse(utf8Text(bytes)), this.#readContext());
    const { codec } = this.#call.format;
    const named = withOriginalNames(read.value, this.#names);
    const carries = reliablyCarried(codec.carries);
    const turns = named.candidates.flatMap(({ parts }) => [...collectSealedTurns(parts, carries)]);
    const remembering = this.#remember(new Map(turns));
    const reply = codec.writeReply(named, this.#replyContext());
    const { usage } = named;
    const known = usage.input.total !== undefined && usage.output.total !== undefined;
    return {
      bytes: encoder.encode(JSON.stringify(reply.value)),
      reply: reply.value,
      usage,
      written: known ? new WrittenText() : writtenIn(named),
      losses: joined([read.losses, reply.losses]),
      remembering,
    };
  }

  usageAtEnd(text: string): Usage | undefined {
    return usageAtEnd(this.#format, text);
  }

  readFault(body: string): ProviderFault | undefined {
    return this.#format.readFault(body);
  }

  stream(): Passage {
    const { codec } = this.#call.format;
    const carries = reliablyCarried(codec.carries);
    const collector = carries.thinkingSeals && carries.callSeals ? undefined : new SealedTurnCollector(carries);
    return new TranslatedPassage(
      this.#format.codec.streamReader(this.#readContext()),
      codec.streamWriter(this.#replyContext()),
      this.#names,
      collector,
      (turns) => this.#remember(turns),
      this.passesHeaders ? this.#format : undefined,
      this.#call.tellsLosses?.() === true,
    );
  }

  #remember(turns: ReadonlyMap<string, SealedTurn>): Promise<void> | undefined {
    return turns.size === 0 ? undefined : this.#parts.remember(turns);
  }

  #readContext(): ReadContext {
    return { origin: this.#origin, tools: this.#tools, nowMs: this.#parts.wallMs(), newId: this.#parts.newId };
  }

  #replyContext(): ReplyContext {
    const { body, memory } = this.#call;
    const request = memory === undefined ? body.tree : memory.echoFor(this.#target);
    return { request, tools: this.#tools, nowMs: this.#parts.wallMs(), newId: this.#parts.newId };
  }
}

/** A caller whose own format has cache marks sets them itself. */
function takesMarks(format: Format, client: Format, { cacheMarksAs }: Quirks): boolean {
  if (client.codec.rules.cacheMarks === 'always') return false;
  const { cacheMarks } = format.codec.rules;
  return cacheMarks === 'always' || (cacheMarks === 'where asked for' && cacheMarksAs === 'cache_control');
}

function joined(lists: readonly (readonly Loss[])[]): readonly Loss[] {
  const all = new LossList();
  for (const list of lists) for (const { what, why } of list) all.add(what, why);
  return all.all;
}

function writtenIn(reply: TextReply): WrittenText {
  const written = new WrittenText();
  for (const { parts } of reply.candidates) {
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'thinking' || part.type === 'refusal') written.add(part.text);
      else if (part.type === 'tool-call') written.add(part.name + part.arguments);
    }
  }
  return written;
}

class TranslatedPassage implements Passage {
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #names: ReadonlyMap<string, string>;
  readonly #collector: SealedTurnCollector | undefined;
  readonly #remember: (turns: ReadonlyMap<string, SealedTurn>) => Promise<void> | undefined;
  /** The format of both sides, where it is one: parts of its own pass with the ids that the provider made. */
  readonly #shared: Format | undefined;
  made: string[] | undefined;
  readonly #tellsLosses: boolean;
  remembering: Promise<void> | undefined;
  ended = false;
  finished = false;
  lastEvent: string | undefined;
  fault: ProviderFault | undefined;
  usage: Usage = unknownUsage;
  readonly written = new WrittenText();

  constructor(
    reader: StreamReader,
    writer: StreamWriter,
    names: ReadonlyMap<string, string>,
    collector: SealedTurnCollector | undefined,
    remember: (turns: ReadonlyMap<string, SealedTurn>) => Promise<void> | undefined,
    shared: Format | undefined,
    tellsLosses: boolean,
  ) {
    this.#tellsLosses = tellsLosses;
    this.#reader = reader;
    this.#writer = writer;
    this.#names = names;
    this.#collector = collector;
    this.#remember = remember;
    this.#shared = shared;
  }

  take(frame: Frame): Uint8Array | undefined | 'fault' {
    if (frame.data === undefined) return undefined;
    return this.#write(this.#reader.read(frame.data, frame.event));
  }

  finish(): Uint8Array | undefined {
    const text = this.#write(this.#reader.end());
    return text === 'fault' ? undefined : text;
  }

  failureText(error: GatewayError): string {
    return this.#writer.write(failureOf(error));
  }

  #write(events: readonly StreamEvent[]): Uint8Array | undefined | 'fault' {
    let text = '';
    for (const event of events) {
      if (event.type === 'failure') {
        const { message, providerType, providerCode } = event;
        this.fault = { message, type: providerType, code: providerCode, param: undefined };
        return 'fault';
      }
      this.#note(event);
      const written = this.#writer.write(withOriginalName(event, this.#names));
      if (this.ended) {
        this.lastEvent ??= written;
        text += this.#comment();
      }
      text += written;
    }
    return text === '' ? undefined : encoder.encode(text);
  }

  /** Before the last event, which is when all losses are known. */
  #comment(): string {
    if (!this.#tellsLosses) return '';
    const { losses } = this;
    return losses.length === 0 ? '' : `: weir-losses ${lossNames(losses)}\n\n`;
  }

  /** Readers report the output only once it is final. */
  get usageIsFinal(): boolean {
    return this.usage.input.total !== undefined && this.usage.output.total !== undefined;
  }

  #note(event: StreamEvent): void {
    this.#collector?.add(event);
    switch (event.type) {
      case 'text-delta':
      case 'thinking-delta':
      case 'tool-input-delta':
        this.written.add(event.text);
        break;
      case 'part-start':
        // The name of a call is written by the model as well.
        if (event.opening.type === 'tool-call') this.written.add(event.opening.name);
        break;
      case 'usage':
        this.usage = laterUsage(this.usage, event.usage);
        break;
      case 'native':
        if (this.#shared?.madeInPart !== undefined && isObject(event.value)) {
          this.made = [...(this.made ?? []), ...this.#shared.madeInPart(event.value)];
        }
        break;
      case 'candidate-end':
        this.finished = true;
        break;
      case 'reply-end':
        this.finished = true;
        this.ended = true;
        if (this.#collector !== undefined) this.remembering = this.#remember(this.#collector.turns);
        break;
      default:
    }
  }

  get losses(): readonly Loss[] {
    return joined([this.#reader.losses, this.#writer.losses]);
  }
}
