/** The conversation that a request continues: the earlier reply it refers to, and where its own reply is kept. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { NamedRequest } from '../../formats/codec.ts';
import type { Format, ReplyMemory, RequestFacts, Tree } from '../../formats/format.ts';
import type { JsonBody } from '../../http/json/json-body.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CallMemory } from '../admission/call.ts';
import { storeUnavailable } from '../admission/ledger-errors.ts';
import { type EarlierTurns, withEarlier } from '../lanes/earlier-turns.ts';
import { formatFor } from '../lanes/format-for.ts';
import type { ItemMemo } from './item-memo.ts';
import type { Keeper, KeptReplies } from './kept-replies.ts';

/** What is known of an earlier reply: what was said up to and with it, who keeps it, or both. */
export interface EarlierReply {
  readonly turns: Turns | undefined;
  readonly keeper: Keeper | undefined;
  /** Weir never saw it: only a provider that keeps replies can know it. */
  readonly unseen?: boolean;
}

interface Turns {
  readonly items: readonly unknown[];
  /** Their size as JSON, or a little more. */
  readonly bytes: number;
}

/** What a connection remembers by itself, for as long as it is open. */
export interface ConnectionMemory {
  find(id: string): EarlierReply | undefined;
  keep(id: string, reply: EarlierReply): void;
}

interface MemorySource {
  readonly format: Format;
  readonly tokenId: string;
  readonly body: JsonBody;
  readonly named: NamedRequest | undefined;
  readonly connection: ConnectionMemory | undefined;
  readonly items: ItemMemo;
}

const noItems: readonly unknown[] = [];
/** Assumed of a conversation that only its provider knows and whose size it did not say. */
const tokensAssumed = 200_000;

/** Waits for the store only where the request continues from a reply that is not in memory. Throws `response_not_stored`. */
export function openContinuation(
  kept: KeptReplies,
  memory: ReplyMemory,
  source: MemorySource,
): MaybeLater<Continuation> {
  const id = memory.previousId(source.body.tree);
  if (id === undefined) return new Continuation(kept, memory, source, undefined);
  const near = source.connection?.find(id);
  if (near !== undefined) return new Continuation(kept, memory, source, near);
  return recall(kept, memory, source, id);
}

type MaybeLater<Value> = Value | Promise<Value>;

async function recall(kept: KeptReplies, memory: ReplyMemory, source: MemorySource, id: string): Promise<Continuation> {
  const found = await kept.find(source.tokenId, id).catch(earlierUnavailable);
  if (found === undefined) {
    // An id that another token got through Weir is that token's alone; one from elsewhere passes where the operator allows it.
    if (!(await kept.mayPass(source.tokenId, id).catch(earlierUnavailable))) throw notStored(kept, memory, id);
    return new Continuation(kept, memory, source, { turns: undefined, keeper: undefined, unseen: true });
  }
  if (found.kind === 'too-large') {
    throw refused(memory, `The conversation up to ${shown(id)} was too large to be kept. Send it whole.`);
  }
  if (found.kind === 'at-provider')
    return new Continuation(kept, memory, source, { turns: undefined, keeper: found.keeper });
  const items = [...found.content.asked, ...memory.answered(found.content.reply)];
  return new Continuation(kept, memory, source, { turns: { items, bytes: found.bytes }, keeper: undefined });
}

export class Continuation implements CallMemory {
  readonly #kept: KeptReplies;
  readonly #memory: ReplyMemory;
  readonly #source: MemorySource;
  readonly #earlier: EarlierReply | undefined;
  /** Made once for each kind of target: a request that was read for one candidate serves the next. */
  readonly #continued = new Map<boolean, EarlierTurns>();

  constructor(kept: KeptReplies, memory: ReplyMemory, source: MemorySource, earlier: EarlierReply | undefined) {
    this.#kept = kept;
    this.#memory = memory;
    this.#source = source;
    this.#earlier = earlier;
  }

  /** What was said up to the earlier reply; undefined where only a provider knows it, empty where there is none. */
  get earlierItems(): readonly unknown[] | undefined {
    return this.#earlier === undefined ? noItems : this.#earlier.turns?.items;
  }

  /** The targets that can continue from the earlier reply. Throws where none can. */
  ableOf(targets: readonly Target[]): readonly Target[] {
    if (this.#earlier === undefined || this.#earlier.turns !== undefined) return targets;
    const able = targets.filter((target) => this.#keeps(target));
    if (able.length > 0) return able;
    if (this.#earlier.unseen === true)
      throw notStored(this.#kept, this.#memory, this.#memory.previousId(this.#source.body.tree) ?? '');
    const provider = this.#earlier.keeper?.provider ?? '';
    throw refused(
      this.#memory,
      `The earlier reply is kept by the provider ${provider}, which cannot answer this request. Send the whole conversation.`,
    );
  }

  /** Throws where the whole conversation, as far as it is known here, is one that its format does not allow. */
  requireWhole(): void {
    const turns = this.#earlier?.turns;
    const { format, body } = this.#source;
    if (turns !== undefined) format.checkWhole?.(withEarlier(body.tree, this.#turns(turns, false)));
  }

  /** With the earlier turns counted: they are paid for like new ones. */
  factsOf(facts: RequestFacts): RequestFacts {
    if (this.#earlier === undefined) return facts;
    const { turns, keeper } = this.#earlier;
    if (turns === undefined) {
      const inputTokensMax = facts.inputTokensMax + (keeper?.tokens ?? tokensAssumed);
      if (keeper?.tokens !== undefined) return { ...facts, inputTokensMax };
      return { ...facts, inputTokensMax, inputUnbounded: facts.inputUnbounded ?? this.#memory.previousField };
    }
    const { format, body, named } = this.#source;
    const whole = withEarlier(body.tree, this.#turns(turns, false));
    return format.check(whole, body.bytes.length + turns.bytes, named);
  }

  /** What changes in the request for this target; nothing where it remembers by itself. */
  turnsFor(target: Target): EarlierTurns | undefined {
    const turns = this.#earlier?.turns;
    if (turns === undefined || this.#keeps(target)) return undefined;
    return this.#turns(turns, this.#isKeeper(target));
  }

  /** The key that the earlier reply was made with: another key may belong to an account that cannot see it. */
  keyIdFor(target: Target): string | undefined {
    return this.#keeps(target) ? this.#earlier?.keeper?.keyId : undefined;
  }

  /** The client's request as the reply echoes it: it does not say that it is kept where it is not. */
  echoFor(target: Target): Tree {
    const { tree } = this.#source.body;
    return this.#kept.storesContent || this.#isKeeper(target) ? tree : this.#memory.unkept(tree);
  }

  /** Keeps a whole reply where that is wanted. Undefined where nothing is written. */
  keep(target: Target, keyId: string, reply: Tree, replyBytes: number, usage: Usage): Promise<void> | undefined {
    const id = this.#memory.idOf(reply);
    if (id === undefined) return undefined;
    const { tokenId, body, connection } = this.#source;
    const wanted = this.#memory.wantsKept(body.tree);
    const keeper =
      wanted && this.#isKeeper(target) ? { provider: target.provider.name, keyId, tokens: tokensOf(usage) } : undefined;
    const asked = this.#asked();
    if (connection !== undefined) {
      const items = asked && [...asked, ...this.#memory.answered(reply)];
      const bytes = (this.#earlier?.turns?.bytes ?? 0) + body.bytes.length + replyBytes;
      connection.keep(id, { turns: items && { items, bytes }, keeper });
    }
    if (keeper !== undefined) return this.#kept.keepPlace(tokenId, id, keeper);
    if (!wanted) return undefined;
    const keeping = this.#source.items.keep(tokenId, this.#memory.ownItems(reply));
    if (!this.#kept.storesContent || asked === undefined) return keeping;
    const storing = this.#kept.keepContent(tokenId, id, { asked, reply });
    return keeping === undefined ? storing : Promise.all([keeping, storing]).then(() => undefined);
  }

  /** Remembers a request that was not answered yet, on its connection alone. */
  prepare(id: string): void {
    const items = this.#asked();
    const bytes = (this.#earlier?.turns?.bytes ?? 0) + this.#source.body.bytes.length;
    this.#source.connection?.keep(id, { turns: items && { items, bytes }, keeper: undefined });
  }

  /** The reply that a stream's last event carries. */
  replyIn(lastEvent: string): Tree | undefined {
    return this.#memory.replyIn(lastEvent);
  }

  /** Undefined where only a provider knows what was said before. */
  #asked(): readonly unknown[] | undefined {
    if (this.#earlier !== undefined && this.#earlier.turns === undefined) return undefined;
    return this.#memory.asked(this.#source.body.tree, this.#earlier?.turns?.items ?? []);
  }

  #turns({ items }: Turns, looksUp: boolean): EarlierTurns {
    const known = this.#continued.get(looksUp);
    if (known !== undefined) return known;
    const made = this.#memory.continued(this.#source.body.tree, items, looksUp);
    this.#continued.set(looksUp, made);
    return made;
  }

  /** Does this target have the reply that the request continues from? */
  #keeps(target: Target): boolean {
    const keeper = this.#earlier?.keeper;
    if (this.#earlier?.unseen === true) return this.#isKeeper(target);
    return keeper !== undefined && keeper.provider === target.provider.name && this.#isKeeper(target);
  }

  #isKeeper(target: Target): boolean {
    const { name } = this.#source.format;
    return target.provider.quirks.keepsReplies === true && formatFor(name, target) === name;
  }
}

function tokensOf({ input, output }: Usage): number | undefined {
  return input.total === undefined || output.total === undefined ? undefined : input.total + output.total;
}

function notStored(kept: KeptReplies, memory: ReplyMemory, id: string): GatewayError {
  if (kept.storesContent)
    return refused(
      memory,
      `Weir keeps no reply ${shown(id)} of this token, or no longer. Send the whole conversation.`,
    );
  return refused(
    memory,
    `Weir has no reply ${shown(id)} of this token: it keeps the content of replies only where its operator sets \`content_storage.responses: true\`. Send the whole conversation.`,
  );
}

function refused({ previousField }: ReplyMemory, message: string): GatewayError {
  return new GatewayError('response_not_stored', message, { param: previousField });
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}

const earlierUnavailable = storeUnavailable('it cannot look for the earlier reply');
