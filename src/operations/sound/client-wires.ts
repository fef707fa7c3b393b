/** The wires in which callers ask for speech and transcripts. */

import { openaiSpeechClient } from './openai-speech.ts';
import { openaiTranscriptionsClient, openaiTranslationsClient } from './openai-transcriptions.ts';

export const soundClientWires = [openaiSpeechClient, openaiTranscriptionsClient, openaiTranslationsClient] as const;
