/** Answers how many tokens a request is: by asking a provider that counts, else by counting its text here. Costs nothing. */

import type { Caller } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Part } from '../conversation/parts.ts';
import type { TextRequest } from '../conversation/text-request.ts';
import type { NamedRequest } from '../formats/codec.ts';
import type { Format, InputCounting } from '../formats/format.ts';
import { editFields, type JsonBody } from '../http/json/json-body.ts';
import { addressOf } from '../providers/address.ts';
import { formatsFor } from '../providers/formats-for.ts';
import type { Target } from '../routing/catalogue.ts';
import { profileAt } from '../routing/target-profile.ts';
import { Cancellation } from '../upstream/cancellation.ts';
import { requireModel } from './admission/require-model.ts';
import { unservedModel } from './admission/route-call.ts';
import type { RelayParts } from './relay-parts.ts';

interface CountRequest {
  readonly format: Format;
  readonly counting: InputCounting;
  readonly caller: Caller;
  readonly body: JsonBody;
  readonly named: NamedRequest | undefined;
}

export type CountInput = (request: CountRequest) => Promise<number>;

type CountParts = Pick<
  RelayParts,
  'catalogue' | 'keys' | 'limits' | 'authorizer' | 'countTokens' | 'keptReplies' | 'ownedIds' | 'nowMs' | 'warn'
>;

const replyBytesMax = 65_536;
const providerTimeoutMs = 5_000;
/** What roles and separators cost in the formats of most models. */
const tokensPerMessage = 4;
const tokensPerMedia = 1_000;

export function createCountInput(parts: CountParts): CountInput {
  return async (request) => {
    const { caller, counting, body, named } = request;
    const facts = counting.check(body.tree, body.bytes.length, named);
    requireModel(caller, facts.model);
    const targets = parts.catalogue.resolve(facts.model);
    if (targets === undefined) throw unservedModel(parts.catalogue, facts.model);
    await checkReferences(parts, request);
    const counter = targets.find((target) => counts(target, request.format));
    const counted = counter && (await askProvider(parts, request, counter, facts.model));
    return counted ?? (await countHere(parts, request));
  };
}

/** A provider that counts reads what the request refers to, as one that answers does. */
async function checkReferences(
  { keptReplies, ownedIds }: CountParts,
  { caller: { tokenId }, format, body: { tree } }: CountRequest,
): Promise<void> {
  const references = format.references?.(tree);
  if (references !== undefined) await ownedIds.check(tokenId, references);
  const { memory } = format;
  const id = memory?.previousId(tree);
  if (memory === undefined || id === undefined || (await keptReplies.find(tokenId, id)) !== undefined) return;
  if (await keptReplies.mayPass(tokenId, id)) return;
  throw new GatewayError(
    'response_not_stored',
    `Weir has no reply ${JSON.stringify(id.slice(0, 100))} of this token.`,
    {
      param: memory.previousField,
    },
  );
}

function counts({ provider, model }: Target, format: Format): boolean {
  return provider.quirks.countsTokens === true && formatsFor(provider, model).includes(format.name);
}

/** Undefined where the provider does not say: an estimate is better than no answer. */
async function askProvider(
  parts: CountParts,
  { format, counting, body }: CountRequest,
  target: Target,
  asked: string,
): Promise<number | undefined> {
  const { provider, model } = target;
  const key = parts.keys.pick(target, new Set(), parts.nowMs);
  if (key === undefined) return undefined;
  const signal = new Cancellation();
  const timer = setTimeout(() => signal.abort(new Error('The count took too long.')), providerTimeoutMs);
  try {
    const url = counting.addressFrom(addressOf(provider, format.name, model, false));
    const patch = format.patch(body.tree, { upstreamModel: model === asked ? undefined : model, mayAskUsage: false });
    // A request that the model would refuse is not counted either. One that is wrapped is counted as it is.
    const host = { looksUpIds: provider.quirks.keepsReplies === true };
    const isBare = counting.requestIn(body.tree) === body.tree;
    const fitting = isBare ? format.fit?.(body.tree, profileAt(target), undefined, host) : undefined;
    const edits = fitting === undefined ? patch.edits : new Map([...fitting.edits, ...patch.edits]);
    const sent = editFields(body, edits);
    const given = await parts.authorizer.headersFor(provider, key, { method: 'POST', url, body: sent });
    const headers = { ...given, 'content-type': 'application/json', 'user-agent': 'weir' };
    const reply = await provider.transport({ url, method: 'POST', headers, body: sent, signal });
    const bytes = await reply.whole(replyBytesMax);
    if (reply.status !== 200) return undefined;
    return counting.readCount(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    parts.warn('A provider did not count a request; its size was estimated.', { provider: provider.name, cause });
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function countHere(parts: CountParts, { format, counting, body, named }: CountRequest): Promise<number> {
  const { value } = format.codec.readRequest(counting.requestIn(body.tree), named);
  const { text, media } = contentOf(value);
  const tokens = await parts.countTokens(text);
  return tokens + value.messages.length * tokensPerMessage + media * tokensPerMedia;
}

function contentOf(request: TextRequest): { readonly text: string; readonly media: number } {
  const texts: string[] = [];
  let media = 0;
  const add = (part: Part): void => {
    if (part.type === 'text' || part.type === 'thinking' || part.type === 'refusal') texts.push(part.text);
    else if (part.type === 'tool-call') texts.push(part.name, part.arguments);
    else if (part.type === 'tool-result') for (const inner of part.parts) add(inner);
    else if (part.type === 'media' && part.source.kind === 'text') texts.push(part.source.text);
    else if (part.type === 'media') media++;
    // Most models read such a part as its text.
    else if (part.instead !== undefined) for (const inner of part.instead) add(inner);
    else texts.push(JSON.stringify(part.value) ?? '');
  };
  for (const { parts } of request.messages) for (const part of parts) add(part);
  for (const tool of request.tools) texts.push(JSON.stringify(tool));
  return { text: texts.join('\n'), media };
}
