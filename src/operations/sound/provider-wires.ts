/** The wires in which providers are asked for speech and transcripts. */

import type { ProviderWireOf } from '../types.ts';
import { assemblyaiSyncProvider } from './assemblyai-sync.ts';
import { assemblyaiTranscriptionProvider } from './assemblyai-transcription.ts';
import { cartesiaSpeechProvider } from './cartesia-speech.ts';
import { cartesiaTranscriptionProvider } from './cartesia-transcription.ts';
import { deepgramSpeechProvider } from './deepgram-speech.ts';
import { deepgramTranscriptionProvider } from './deepgram-transcription.ts';
import { elevenlabsSpeechProvider } from './elevenlabs-speech.ts';
import { elevenlabsTranscriptionProvider } from './elevenlabs-transcription.ts';
import { geminiSpeechProvider } from './gemini-speech.ts';
import { groqSpeechProvider } from './groq-speech.ts';
import { mistralTranscriptionsProvider } from './mistral-transcriptions.ts';
import { openaiSpeechProvider } from './openai-speech.ts';
import {
  groqTranscriptionsProvider,
  groqTranslationsProvider,
  openaiTranscriptionsProvider,
  openaiTranslationsProvider,
} from './openai-transcriptions-provider.ts';

export const speakWires: readonly ProviderWireOf<'speak'>[] = [
  openaiSpeechProvider,
  geminiSpeechProvider,
  elevenlabsSpeechProvider,
  deepgramSpeechProvider,
  groqSpeechProvider,
  cartesiaSpeechProvider,
];

export const transcribeWires: readonly ProviderWireOf<'transcribe'>[] = [
  openaiTranscriptionsProvider,
  groqTranscriptionsProvider,
  mistralTranscriptionsProvider,
  elevenlabsTranscriptionProvider,
  deepgramTranscriptionProvider,
  assemblyaiTranscriptionProvider,
  assemblyaiSyncProvider,
  cartesiaTranscriptionProvider,
];

export const translateWires: readonly ProviderWireOf<'translate'>[] = [
  openaiTranslationsProvider,
  groqTranslationsProvider,
];

export const soundProviderWires = [...speakWires, ...transcribeWires, ...translateWires];
