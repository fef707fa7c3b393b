/** Chooses the lane to a target: the client's format where the provider has it, the neutral one otherwise. */

import type { Loss } from '../../conversation/parts.ts';
import { sealPrefix } from '../../conversation/seals/seal.ts';
import type { CarriedSeals } from '../../conversation/seals/sealed-turns.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { droppedBy } from '../../formats/fields/copied-format.ts';
import type { Format, Tree } from '../../formats/format.ts';
import { smallBytesMax } from '../../http/json/read-in-slices.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ConversationCall } from '../admission/call.ts';
import { requireLossless } from '../admission/strict-mode.ts';
import type { RelayParts } from '../relay-parts.ts';
import { type EarlierTurns, withEarlier } from './earlier-turns.ts';
import { formatAbove, formatFor } from './format-for.ts';
import { thoughtsFor } from './kept-thoughts.ts';
import { type ConversationLane, noLosses } from './lane.ts';
import { type NeutralRequest, readNeutral } from './neutral-request.ts';
import { SameFormatLane, type SameFormatParts } from './same-format.ts';
import { fittedRequest, TranslateLane } from './translate.ts';

/** `tools` is what every format calls them, and `functions` what one used to; a list without members declares none. */
export function hasTools({ tools, functions }: Tree): boolean {
  return (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0);
}

/** A promise only where another replica may know what this one does not. */
export function chooseLane(
  parts: RelayParts,
  call: ConversationCall,
  target: Target,
  earlier: EarlierTurns | undefined,
): ConversationLane | Promise<ConversationLane> {
  const { format, body, passHeaders } = call;
  const preferred = formatFor(format.name, target, hasTools(body.tree), passHeaders) ?? format.name;
  const dropped = preferred === format.name ? droppedAt(call, target, earlier) : noLosses;
  const name = dropped.length > 0 ? (formatAbove(format.name, target) ?? preferred) : preferred;
  if (name === format.name && hasEndpoint(call, target, parts.nowMs()) && !holdsSeals(call, earlier)) {
    const thoughts = thoughtsFor(parts, call, target);
    if (thoughts instanceof Promise)
      return thoughts.then((known) => sameFormat(call, target, { earlier, dropped, thoughts: known }));
    return sameFormat(call, target, { earlier, dropped, thoughts });
  }
  const spoken = parts.formats[name];
  if (call.bytesIn > smallBytesMax) return laneByTurns(parts, call, target, spoken, earlier);
  const reading = neutralOf(parts, call, earlier);
  if (reading instanceof Promise) return reading.then((neutral) => laneOf(parts, call, target, spoken, neutral));
  return laneOf(parts, call, target, spoken, reading);
}

function sameFormat(call: ConversationCall, target: Target, given: SameFormatParts): ConversationLane {
  const lane = new SameFormatLane(call, target, given);
  requireLossless(call, lane.losses, target.provider.name);
  return lane;
}

/** What the server's copy of the client's format would drop of the request; nothing is walked where no copy is known. */
function droppedAt(
  { format, body }: ConversationCall,
  { provider }: Target,
  earlier: EarlierTurns | undefined,
): readonly Loss[] {
  const copied = provider.quirks.copied?.[format.name];
  if (copied === undefined) return noLosses;
  return droppedBy(copied, earlier === undefined ? body.tree : withEarlier(body.tree, earlier));
}

/** A large conversation is read, fitted and written in a turn of the event loop each. */
async function laneByTurns(
  parts: RelayParts,
  call: ConversationCall,
  target: Target,
  format: Format,
  earlier: EarlierTurns | undefined,
): Promise<ConversationLane> {
  const { slices } = parts;
  const neutral = await slices.alone(() => neutralOf(parts, call, earlier));
  const fitted = await slices.alone(() => fittedRequest(target, format, neutral));
  const lane = await slices.alone(() => laneOf(parts, call, target, format, neutral, fitted));
  // What is reserved and sent for it is another turn's work.
  await slices.turn();
  return lane;
}

function laneOf(
  parts: RelayParts,
  call: ConversationCall,
  target: Target,
  format: Format,
  neutral: NeutralRequest,
  fitted = fittedRequest(target, format, neutral),
): ConversationLane {
  const { sealMemo } = parts;
  const place = `${target.provider.name} ${target.model}`;
  const thinks = asksToThink(neutral.value) || sealMemo.hasSealed(place);
  const forgotten = thinks ? missedThinking(call, format, neutral) : noLosses;
  const lane = new TranslateLane(call, target, format, neutral, fitted, {
    outputTokensMax: parts.outputTokensOf(target),
    marksCaches: parts.routing.cacheMarks === 'auto',
    forgotten,
    wallMs: parts.wallMs,
    newId: parts.newId,
    remember: (turns) => sealMemo.keep(call.caller.tokenId, place, turns, thinks),
  });
  // Forgotten seals are not part of the request, which is what strict mode is about.
  if (lane.losses.length > forgotten.length) requireLossless(call, lane.losses, target.provider.name);
  return lane;
}

function missedThinking(call: ConversationCall, { codec }: Format, neutral: NeutralRequest): readonly Loss[] {
  const { forgotten, thoughtless } = neutral;
  if (!losesSeals(call.format.codec.carries, codec.carries)) return thoughtless;
  return thoughtless.length === 0 ? forgotten : [...forgotten, ...thoughtless];
}

/** Can the provider return seals that the client cannot send back? */
function losesSeals(client: CarriedSeals, provider: CarriedSeals): boolean {
  return (provider.thinkingSeals && !client.thinkingSeals) || (provider.callSeals && !client.callSeals);
}

function asksToThink({ thinking }: TextRequest): boolean {
  return thinking !== undefined && thinking.mode !== 'off' && thinking.effort !== 'none';
}

/** Read once for each set of earlier turns, which is the same for every target but those that remember by themselves. */
const readRequests = new WeakMap<
  ConversationCall,
  { readonly earlier: EarlierTurns | undefined; readonly neutral: NeutralRequest | Promise<NeutralRequest> }
>();

function neutralOf(
  parts: RelayParts,
  call: ConversationCall,
  earlier: EarlierTurns | undefined,
): NeutralRequest | Promise<NeutralRequest> {
  const known = readRequests.get(call);
  if (known !== undefined && known.earlier === earlier) return known.neutral;
  const neutral = readNeutral(call, earlier, parts.sealMemo);
  readRequests.set(call, { earlier, neutral });
  return neutral;
}

function hasEndpoint({ format }: ConversationCall, { provider, health }: Target, nowMs: number): boolean {
  return format.furtherAddress === undefined || (provider.quirks.keepsReplies === true && health.hasFurtherPath(nowMs));
}

/** A signature that Weir wrapped in a reply must be unwrapped (or removed) before a provider sees it. */
function holdsSeals({ format, body }: ConversationCall, earlier: EarlierTurns | undefined): boolean {
  const { thinkingSeals, callSeals } = format.codec.carries;
  if (!thinkingSeals && !callSeals) return false;
  if (earlier !== undefined && JSON.stringify([...earlier.values()]).includes(sealPrefix)) return true;
  return Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength).includes(sealPrefix);
}
