/** The wires in which callers ask for speech and transcripts. */

import { openaiSpeechClient } from './wires/openai-speech.ts';
import { openaiTranscriptionsClient, openaiTranslationsClient } from './wires/openai-transcriptions.ts';

export const soundClientWires = [openaiSpeechClient, openaiTranscriptionsClient, openaiTranslationsClient] as const;
