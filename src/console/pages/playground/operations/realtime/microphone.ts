/** What a microphone hears, piece by piece, as the wire of a live conversation wants it. */

import { loudness, pcm16ToBase64, resampled, toPcm16 } from '../sound/samples.ts';
import workletAddress from './capture.worklet.js' with { type: 'file' };

export interface Microphone {
  close(): void;
}

interface MicrophoneListener {
  /** 16-bit samples in base64. */
  onSound(base64: string): void;
  /** 0 to 1. */
  onLevel(level: number): void;
}

export function hasMicrophone(): boolean {
  return navigator.mediaDevices?.getUserMedia !== undefined;
}

/** Fails where the person or the browser refuses. */
export async function openMicrophone(rateHz: number, listener: MicrophoneListener): Promise<Microphone> {
  // Without the echo of the model's own voice, which would interrupt itself.
  const constraints = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  const stream = await navigator.mediaDevices.getUserMedia({ audio: constraints });
  const context = new AudioContext();
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close().catch(() => undefined);
  };
  try {
    const take = (fractions: Float32Array) => {
      listener.onLevel(loudness(fractions));
      listener.onSound(pcm16ToBase64(toPcm16(resampled(fractions, context.sampleRate, rateHz))));
    };
    const source = context.createMediaStreamSource(stream);
    source.connect(await listeningNode(context, take));
    await context.resume();
    return { close: release };
  } catch (error) {
    release();
    throw error;
  }
}

async function listeningNode(context: AudioContext, take: (fractions: Float32Array) => void): Promise<AudioNode> {
  await context.audioWorklet.addModule(workletAddress);
  const node = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
  node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => take(data);
  return node;
}
