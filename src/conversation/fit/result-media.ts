/**
 * Removes media from tool results that the model cannot read. The user did not ask for them, and an image that stays in
 * an agent's conversation would make the model refuse every later request.
 */

import type { LossList } from '../loss-list.ts';
import type { Modality } from '../model-profile.ts';
import type { MediaPart, Message, Part, TextPart, ToolResultPart } from '../parts.ts';

const modalityOf: Readonly<Record<MediaPart['media'], Modality>> = {
  image: 'image',
  document: 'pdf',
  audio: 'audio',
  video: 'video',
};

/** Returns the same messages if the model accepts all media in them. */
export function fitResultMedia(
  messages: readonly Message[],
  input: readonly Modality[],
  losses: LossList,
): readonly Message[] {
  const isRefused = (part: Part): part is MediaPart =>
    part.type === 'media' && part.source.kind !== 'text' && !input.includes(modalityOf[part.media]);
  const holdsRefused = (part: Part): part is ToolResultPart =>
    part.type === 'tool-result' && part.parts.some(isRefused);
  if (!messages.some(({ parts }) => parts.some(holdsRefused))) return messages;
  return messages.map((message, index) => {
    if (!message.parts.some(holdsRefused)) return message;
    const parts = message.parts.map((part) => {
      if (!holdsRefused(part)) return part;
      const inner = part.parts.map((one) => (isRefused(one) ? noticeOf(one, index, losses) : one));
      return { ...part, parts: inner };
    });
    return { ...message, parts };
  });
}

function noticeOf({ media }: MediaPart, index: number, losses: LossList): TextPart {
  losses.add(`messages[${index}] tool result ${media}`, 'is of a kind that the model does not support');
  return {
    type: 'text',
    text: `(The result holds ${media === 'image' ? 'an image' : media}, which this model cannot take in.)`,
  };
}
