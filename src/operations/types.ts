/** Every operation with its neutral request and reply, so that one relay serves them all. */

import type { Consumption } from './consumption.ts';
import type { EmbedReply, EmbedRequest } from './embed.ts';
import type { EditImageRequest, ImageReply, MakeImageRequest } from './images.ts';
import type { ModerateReply, ModerateRequest } from './moderate.ts';
import type { RerankReply, RerankRequest } from './rerank.ts';
import type { SpeakReply, SpeakRequest } from './speak.ts';
import type { TranscribeRequest, Transcript } from './transcribe.ts';
import type { ClientWire, OperationName, ProviderWire } from './wire.ts';

export interface OperationTypes {
  readonly embed: { readonly request: EmbedRequest; readonly reply: EmbedReply };
  readonly rerank: { readonly request: RerankRequest; readonly reply: RerankReply };
  readonly moderate: { readonly request: ModerateRequest; readonly reply: ModerateReply };
  readonly 'make-image': { readonly request: MakeImageRequest; readonly reply: ImageReply };
  readonly 'edit-image': { readonly request: EditImageRequest; readonly reply: ImageReply };
  readonly speak: { readonly request: SpeakRequest; readonly reply: SpeakReply };
  readonly transcribe: { readonly request: TranscribeRequest; readonly reply: Transcript };
  /** Into English, at a path of its own. */
  readonly translate: { readonly request: TranscribeRequest; readonly reply: Transcript };
}

export type ClientWireOf<Name extends OperationName> = ClientWire<
  OperationTypes[Name]['request'],
  OperationTypes[Name]['reply']
>;
export type ProviderWireOf<Name extends OperationName> = ProviderWire<
  OperationTypes[Name]['request'],
  OperationTypes[Name]['reply']
>;

/** How a request with many inputs is taken apart, and its replies put together, for operations whose inputs are independent. */
export interface Splitting<Request, Reply> {
  inputsOf(request: Request): number;
  split(request: Request, inputsMax: number): readonly Request[];
  /** The most that a part can use. */
  most(whole: { readonly request: Request; readonly most: Consumption }, part: Request): Consumption;
  join(replies: readonly Reply[]): Reply;
}

export type Splittings = {
  readonly [Name in OperationName]?: Splitting<OperationTypes[Name]['request'], OperationTypes[Name]['reply']>;
};
