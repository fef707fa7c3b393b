/** Checks each frame of a client before it is passed on: what it may cost, and whether the models it names may be used. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { utf8Text } from '../conversation/texts/utf8-text.ts';
import {
  audioBytesIn,
  audioIn,
  type ClientFrame,
  isAudio,
  type NamedModels,
  readClientFrame,
  transcriptionsIn,
  withModels,
} from '../formats/openai-realtime/client-frames.ts';
import { encodeInSlices } from '../http/json/encoded-text.ts';
import type { Slices } from '../http/json/in-slices.ts';
import { countsAtOnce, type JsonBody, readJsonBody } from '../http/json/json-body.ts';
import { JsonPrinter } from '../http/json/json-printer.ts';
import { readInSlices, smallBytesMax } from '../http/json/read-in-slices.ts';
import { requireModel } from '../relay/admission/require-model.ts';
import type { Catalogue, Target } from '../routing/catalogue.ts';
import type { FrameGate } from './frame-gate.ts';
import type { LiveCaller } from './live-parts.ts';
import { liveTargets } from './targets.ts';

export interface CheckedFrame extends Omit<ClientFrame, 'models'> {
  /** As it came, or printed again where its fields were checked. */
  readonly text: string;
  readonly audioBytes: number;
  /** The models that it names for transcripts, as the provider knows them; an empty name where it leaves the choice to the provider. */
  readonly transcription: readonly string[];
  /** Rejects where the frame's content may not pass; absent where nothing is to be moderated. */
  readonly moderate?: (() => Promise<void>) | undefined;
  /** Present where the frame moves the conversation to another model. */
  readonly target: Target | undefined;
}

/** A refused frame is not passed on; the session continues without it. */
export class FrameRefusal extends Error {
  readonly error: GatewayError;
  /** The client's own name of the frame. */
  readonly eventId: string | undefined;
  constructor(error: GatewayError, eventId: string | undefined) {
    super(error.message);
    this.error = error;
    this.eventId = eventId;
  }
}

export interface CheckParts {
  readonly catalogue: Catalogue;
  readonly who: LiveCaller;
  /** As the caller named it at the handshake. */
  readonly model: string;
  readonly jsonDepthMax: number;
  readonly slices: Slices;
  /** Present where the client's content must pass moderation. */
  readonly gate?: FrameGate | undefined;
  /** Throws where the frame names elsewhere what it may not. */
  requireNamed?(frame: Tree): void;
  /** Was anything of the frame judged beyond its models? Throws where it may not pass. */
  vet?(frame: Tree, target: Target): boolean;
  /** Does another model demand a moderation that this session does not make? */
  needsOtherGate?(model: string): boolean;
}

const encoder = new TextEncoder();
const audioFrame: Omit<CheckedFrame, 'text' | 'audioBytes'> = {
  eventId: undefined,
  starts: 'audio',
  outputLimit: undefined,
  detectsTurns: false,
  metadata: undefined,
  target: undefined,
  transcription: [],
};

/** At once, or in slices where the frame is large. Throws, or rejects with, a FrameRefusal. */
export function checkFrame(parts: CheckParts, current: Target, text: string): CheckedFrame | Promise<CheckedFrame> {
  const audioBytes = audioBytesIn(text);
  if (audioBytes !== undefined) {
    if (parts.gate !== undefined) throw new FrameRefusal(parts.gate.refuseAudio(), undefined);
    return { ...audioFrame, text, audioBytes };
  }
  if (text.length > smallBytesMax) return checkInSlices(parts, current, text);
  const { printed, ...facts } = checkBody(
    parts,
    current,
    refusing(() => readJsonBody(encoder.encode(text), parts.jsonDepthMax)),
  );
  return { ...facts, text: printed === undefined ? text : JSON.stringify(printed) };
}

async function checkInSlices(parts: CheckParts, current: Target, text: string): Promise<CheckedFrame> {
  const { slices, jsonDepthMax: depthMax } = parts;
  const bytes = await encodeInSlices(text, slices);
  const body = await readInSlices(bytes, { depthMax, ...countsAtOnce }, slices).catch(refuseFrame);
  const { printed, ...facts } = checkBody(parts, current, body);
  if (printed === undefined) return { ...facts, text };
  const printer = new JsonPrinter(printed);
  await slices.run(printer);
  return { ...facts, text: utf8Text(printer.bytes) };
}

interface CheckedBody extends Omit<CheckedFrame, 'text'> {
  /** What is sent in place of the frame's own text. */
  readonly printed?: Tree | undefined;
}

function checkBody(parts: CheckParts, current: Target, { tree, fields }: JsonBody): CheckedBody {
  let eventId: string | undefined;
  try {
    if (fields === undefined) throw new GatewayError('json_malformed', 'The frame names a field twice.');
    const frame = readClientFrame(tree);
    ({ eventId } = frame);
    parts.requireNamed?.(tree);
    const { models, ...rest } = frame;
    const target = models && targetOf(parts, current, models);
    const isVetted = parts.vet?.(tree, target ?? current) === true;
    const provider = (target ?? current).provider.name;
    const transcriber = (name: string) => transcriptionName(parts.catalogue, provider, name);
    const facts = { ...rest, audioBytes: audioIn(tree), transcription: transcriptionsIn(tree).map(transcriber) };
    const { gate } = parts;
    if (gate !== undefined && isAudio(tree)) throw gate.refuseAudio();
    const moderate = gate?.questionOf(tree);
    const isChecked =
      isVetted || models !== undefined || facts.outputLimit !== undefined || facts.starts === 'response';
    if (!isChecked && gate === undefined) return { ...facts, target };
    // Printed again, so that what was checked is what is sent: a field can occur twice in an object.
    const printed = withModels(tree, { conversation: target?.model, transcription: transcriber });
    return { ...facts, printed, moderate, target };
  } catch (error) {
    return refuseFrame(error, eventId);
  }
}

function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    return refuseFrame(error);
  }
}

function refuseFrame(error: unknown, eventId?: string): never {
  throw error instanceof GatewayError ? new FrameRefusal(error, eventId) : error;
}

function targetOf(parts: CheckParts, current: Target, models: NamedModels): Target | undefined {
  checkTranscription(parts.who, models.transcription);
  const name = models.conversation;
  if (name === undefined) return undefined;
  if (name === parts.model) return current;
  return otherTarget(parts, current, name);
}

/** A connection leads to one provider: only its models can follow. */
function otherTarget({ catalogue, who, needsOtherGate }: CheckParts, current: Target, name: string): Target {
  const param = 'session.model';
  if (who.pinnedModel !== undefined) {
    const message = `This credential only works for the model ${who.pinnedModel}.`;
    throw new GatewayError('model_not_allowed', message, { param });
  }
  requireModel(who.caller, name, param);
  if (needsOtherGate?.(name) === true) {
    const message = `The model ${name.slice(0, 200)} demands moderation. Open another session for it.`;
    throw new GatewayError('operation_unsupported', message, { param });
  }
  const found = liveTargets(catalogue, who.caller, name).find(({ provider }) => provider === current.provider);
  if (found !== undefined) return found;
  const message = `The model ${name.slice(0, 200)} is served elsewhere. Open another session for it.`;
  throw new GatewayError('operation_unsupported', message, { param });
}

export function checkTranscription({ caller }: Pick<LiveCaller, 'caller'>, names: readonly string[]): void {
  for (const name of names) requireModel(caller, name, 'session.audio.input.transcription.model');
}

/** The provider's own name where Weir knows the model under another; what it does not know passes as it is. */
function transcriptionName(catalogue: Catalogue, provider: string, name: string): string {
  return catalogue.resolve(name)?.find((target) => target.provider.name === provider)?.model ?? name;
}
