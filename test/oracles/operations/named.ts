/** The schemas of OpenAI's operations by the names of its published document. https://platform.openai.com/docs/api-reference (read 2026-11-16) */

import type { z } from 'zod';
import { serverEvent } from '../realtime/events.ts';
import { speechEvent, transcript, transcriptEvent, verboseTranscript } from './audio.ts';
import { openaiEmbeddings } from './embeddings.ts';
import { editEvent, generationEvent, imagesReply } from './images.ts';
import { moderation } from './moderations.ts';
import { embeddingRequest, moderationRequest, speechRequest } from './requests.ts';

export const operationSchemas = {
  CreateEmbeddingRequest: embeddingRequest,
  CreateEmbeddingResponse: openaiEmbeddings,
  CreateModerationRequest: moderationRequest,
  CreateModerationResponse: moderation,
  CreateSpeechRequest: speechRequest,
  CreateSpeechResponseStreamEvent: speechEvent,
  CreateTranscriptionResponseJson: transcript,
  CreateTranscriptionResponseStreamEvent: transcriptEvent,
  CreateTranscriptionResponseVerboseJson: verboseTranscript,
  ImagesResponse: imagesReply,
  ImageGenStreamEvent: generationEvent,
  ImageEditStreamEvent: editEvent,
  RealtimeServerEvent: serverEvent,
} as const satisfies Readonly<Record<string, z.ZodType>>;
