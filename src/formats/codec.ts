/** The contract of a codec: one wire format to and from the neutral conversation. Pure; ids and time are arguments. */

import type { DerivedTexts } from '../conversation/derived-texts.ts';
import type { Tree } from '../conversation/json-tree.ts';
import type { ModelProfile } from '../conversation/model-profile.ts';
import type { Converted, Loss, MediaPart, Origin } from '../conversation/parts.ts';
import type { ConversationRules } from '../conversation/repair/rules.ts';
import type { CarriedSeals } from '../conversation/seals/sealed-turns.ts';
import type { StreamEvent, TextReply } from '../conversation/text-reply.ts';
import type { TextRequest, ToolDeclaration } from '../conversation/text-request.ts';

/** What a path says beside the body, in formats whose URL names the model and the kind of the reply. */
export interface NamedRequest {
  readonly model: string;
  readonly stream: boolean;
}

/** Where a request is going. */
export interface WriteTarget {
  /** Its format, its provider and the model's name there; seals of another origin have been taken out already. */
  readonly origin: Origin;
  /** What the model takes; the request has been fitted to it already (`fitToModel`). */
  readonly profile: ModelProfile;
  readonly quirks: WriteQuirks;
  /** The largest reply of the model, from any source; the value in its profile takes precedence. */
  readonly outputTokensMax?: number | undefined;
  /** The client's format keeps replies by default, and its client did not say. */
  readonly keepsByDefault?: boolean;
  /** What is derived from the request once for all targets; absent where there is only this one. */
  readonly derived?: DerivedTexts;
}

/** How a provider deviates from the plain format when it is written to. Absent means not at all. */
export interface WriteQuirks {
  /** Rejects `stream_options`; usage comes unasked or not at all. */
  readonly rejectsStreamOptions?: boolean;
  /** Knows the reply's limit by its older name only. */
  readonly limitIsMaxTokens?: boolean;
  /** Wants the thinking of earlier turns back under this name (`reasoning_content`). */
  readonly echoesThinkingAs?: string;
  /** Accepts cache marks on parts, spelled so; absent means that it accepts none. */
  readonly cacheMarksAs?: 'cache_control' | 'prompt_cache_breakpoint';
  /** Has fields of its own for how much to think: a switch with a number of tokens, a type beside efforts, or one object. */
  readonly thinkingAs?: 'enable_thinking' | 'thinking-type' | 'reasoning';
  /** Rejects a body that holds one of these top-level fields; they are left out and reported. */
  readonly rejectsFields?: readonly string[];
}

/** Where a reply comes from. */
export interface ReadContext {
  readonly origin: Origin;
  /** The declared tools that only some formats know as they are, by their unique names (`specialTools`). */
  readonly tools?: ReadonlyMap<string, ToolDeclaration> | undefined;
  readonly nowMs: number;
  /** A fresh id, for what the format leaves without one. */
  newId(prefix: string): string;
}

/** Whom a reply is written for. */
export interface ReplyContext {
  /** The client's own body, whose options shape the reply: usage in streams, older dialects, fields to be echoed. */
  readonly request: Tree;
  /** The declared tools that only some formats know as they are, by their unique names (`specialTools`). */
  readonly tools?: ReadonlyMap<string, ToolDeclaration> | undefined;
  readonly nowMs: number;
  newId(prefix: string): string;
}

export interface StreamReader {
  /** What a frame says. Throws a SyntaxError where it is not of the format. */
  read(data: string, event: string | undefined): readonly StreamEvent[];
  /** The bytes ended: closes what a terminal marker has ended. Without such a marker no `reply-end` comes out. */
  end(): readonly StreamEvent[];
  readonly losses: readonly Loss[];
}

export interface StreamWriter {
  /** The text of the event; empty where the format writes nothing for it. */
  write(event: StreamEvent): string;
  readonly losses: readonly Loss[];
}

export interface Codec {
  /** Never throws: what cannot be read is a loss. */
  readRequest(tree: Tree, named?: NamedRequest): Converted<TextRequest>;
  writeRequest(request: TextRequest, target: WriteTarget): Converted<Tree>;
  /** Throws a SyntaxError where the reply is not of the format. */
  readReply(tree: unknown, context: ReadContext): Converted<TextReply>;
  writeReply(reply: TextReply, context: ReplyContext): Converted<Tree>;
  streamReader(context: ReadContext): StreamReader;
  streamWriter(context: ReplyContext): StreamWriter;
  /** Can a turn of the user hold it? Neither sizes nor the model are judged. */
  holdsMedia(part: MediaPart): boolean;
  /** Which opaque signatures a client of this format gives back by itself; the others are remembered for it. */
  readonly carries: CarriedSeals;
  /** What a conversation must look like before it can be written in this format. */
  readonly rules: ConversationRules;
}
