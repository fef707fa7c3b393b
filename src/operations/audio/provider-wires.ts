/** The wires of providers of speech and transcripts. */

import type { ProviderWireOf } from '../types.ts';
import { assemblyaiSyncProvider } from './wires/assemblyai-sync.ts';
import { assemblyaiTranscriptionProvider } from './wires/assemblyai-transcription.ts';
import { cartesiaSpeechProvider } from './wires/cartesia-speech.ts';
import { cartesiaTranscriptionProvider } from './wires/cartesia-transcription.ts';
import { deepgramSpeechProvider } from './wires/deepgram-speech.ts';
import { deepgramTranscriptionProvider } from './wires/deepgram-transcription.ts';
import { elevenlabsSpeechProvider } from './wires/elevenlabs-speech.ts';
import { elevenlabsTranscriptionProvider } from './wires/elevenlabs-transcription.ts';
import { geminiSpeechProvider } from './wires/gemini-speech.ts';
import { geminiTranscriptionProvider, geminiTranslationProvider } from './wires/gemini-transcription.ts';
import { groqSpeechProvider } from './wires/groq-speech.ts';
import { mistralTranscriptionsProvider } from './wires/mistral-transcriptions.ts';
import { openaiSpeechProvider } from './wires/openai-speech.ts';
import {
  groqTranscriptionsProvider,
  groqTranslationsProvider,
  openaiTranscriptionsProvider,
  openaiTranslationsProvider,
} from './wires/openai-transcriptions-provider.ts';

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
  geminiTranscriptionProvider,
];

export const translateWires: readonly ProviderWireOf<'translate'>[] = [
  openaiTranslationsProvider,
  groqTranslationsProvider,
  geminiTranslationProvider,
];
