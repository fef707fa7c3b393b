/** The settings of a session, their defaults and their wire format. */

import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { type AudioFormat, rateOf } from './audio-format.ts';

export interface TurnDetection {
  readonly kind: 'server_vad' | 'semantic_vad';
  readonly threshold: number;
  readonly prefixPaddingMs: number;
  readonly silenceMs: number;
  /** Only where the kind has it. */
  readonly eagerness?: Eagerness;
  readonly createResponse: boolean;
  readonly interruptResponse: boolean;
}

export const eagernessLevels = ['low', 'medium', 'high', 'auto'] as const;
type Eagerness = (typeof eagernessLevels)[number];

/** Speech is not understood, so eagerness only sets how soon a silence ends a turn. */
export const silenceMsByEagerness: Readonly<Record<Eagerness, number>> = {
  low: 1_000,
  medium: 500,
  high: 300,
  auto: 500,
};

export interface SessionSettings {
  readonly kind: 'realtime' | 'transcription';
  readonly instructions: string;
  readonly modality: 'text' | 'audio';
  /** As the client declared them. */
  readonly tools: readonly Tree[];
  readonly toolChoice: string | Tree;
  readonly parallelToolCalls: boolean | undefined;
  /** Absent means no limit. */
  readonly outputTokensMax: number | undefined;
  readonly input: {
    readonly format: AudioFormat;
    readonly transcription: Tree | undefined;
    readonly noiseReduction: Tree | undefined;
    readonly turnDetection: TurnDetection | undefined;
  };
  readonly output: { readonly format: AudioFormat; readonly voice: string | Tree; readonly speed: number };
  /** Fields without effect, which are echoed. */
  readonly echoed: Tree;
}

export const serverDetection: TurnDetection = {
  kind: 'server_vad',
  threshold: 0.5,
  prefixPaddingMs: 300,
  silenceMs: 500,
  createResponse: true,
  interruptResponse: true,
};

export function firstSettings(kind: SessionSettings['kind']): SessionSettings {
  return {
    kind,
    instructions: '',
    modality: 'audio',
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: undefined,
    outputTokensMax: undefined,
    input: {
      format: 'audio/pcm',
      transcription: undefined,
      noiseReduction: undefined,
      turnDetection: serverDetection,
    },
    output: { format: 'audio/pcm', voice: 'alloy', speed: 1 },
    echoed: kind === 'realtime' ? { tracing: null, truncation: 'auto', prompt: null } : {},
  };
}

export function writeSession(settings: SessionSettings, id: string, model: string): Tree {
  const { input, output } = settings;
  const audioInput = {
    format: writeFormat(input.format),
    ...defined('transcription', input.transcription),
    ...defined('noise_reduction', input.noiseReduction),
    turn_detection: input.turnDetection === undefined ? null : writeDetection(input.turnDetection),
  };
  if (settings.kind === 'transcription') {
    return {
      type: 'transcription',
      object: 'realtime.transcription_session',
      id,
      ...settings.echoed,
      audio: { input: audioInput },
    };
  }
  return {
    type: 'realtime',
    object: 'realtime.session',
    id,
    model,
    output_modalities: [settings.modality],
    instructions: settings.instructions,
    tools: settings.tools,
    tool_choice: settings.toolChoice,
    ...(settings.parallelToolCalls !== undefined && { parallel_tool_calls: settings.parallelToolCalls }),
    max_output_tokens: settings.outputTokensMax ?? 'inf',
    ...settings.echoed,
    audio: {
      input: audioInput,
      output: { format: writeFormat(output.format), voice: output.voice, speed: output.speed },
    },
  };
}

export function writeFormat(format: AudioFormat): Tree {
  return format === 'audio/pcm' ? { type: format, rate: rateOf(format) } : { type: format };
}

function writeDetection(detection: TurnDetection): Tree {
  const answers = { create_response: detection.createResponse, interrupt_response: detection.interruptResponse };
  if (detection.kind === 'semantic_vad') return { type: detection.kind, eagerness: detection.eagerness, ...answers };
  return {
    type: detection.kind,
    threshold: detection.threshold,
    prefix_padding_ms: detection.prefixPaddingMs,
    silence_duration_ms: detection.silenceMs,
    idle_timeout_ms: null,
    ...answers,
  };
}
