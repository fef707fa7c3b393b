/** A live conversation as the page sees it: what was said, what state it is in, and the few things a person can do. */

import { useEffect, useRef, useState } from 'react';
import { AskError } from '../../../../api/ask.ts';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { firstState, type LiveState, readInto, soundIn } from './live-events.ts';
import { type LiveLink, type LiveSettings, openLive, soundRateHz } from './live-link.ts';
import { createLoudspeaker, type Loudspeaker } from './loudspeaker.ts';
import { type Microphone, openMicrophone } from './microphone.ts';

export type Phase = 'idle' | 'connecting' | 'live' | 'ended';

export interface Live {
  readonly phase: Phase;
  /** When the conversation began, and with which model; absent before the first. */
  readonly begun: { readonly atMs: number; readonly model: string } | undefined;
  readonly state: LiveState;
  readonly error: unknown;
  /** The code of an end that nobody asked for. */
  readonly lostCode: number | undefined;
  readonly isHearing: boolean;
  readonly isRefused: boolean;
  /** The microphone's, 0 to 1. */
  readonly level: number;
  start(settings: LiveSettings): void;
  hangUp(): void;
  say(text: string): void;
  interrupt(): void;
  toggleMicrophone(): void;
}

interface Parts {
  readonly abort: AbortController;
  readonly loudspeaker: Loudspeaker;
  link: LiveLink | undefined;
  microphone: Microphone | undefined;
}

const farewell = 1_000;

export function useLive({ token, wire }: Pick<OperationPanelProps, 'token' | 'wire'>): Live {
  const parts = useRef<Parts>(undefined);
  const [phase, setPhase] = useState<Phase>('idle');
  const [begun, setBegun] = useState<Live['begun']>();
  const [state, setState] = useState(firstState);
  const [error, setError] = useState<unknown>();
  const [lostCode, setLostCode] = useState<number>();
  const microphone = useMicrophone(parts);
  const end = (code: number) => {
    release(parts);
    microphone.reset();
    setPhase('ended');
    setLostCode(code === farewell ? undefined : code);
  };
  useEffect(() => () => release(parts), []);
  const start = async (settings: LiveSettings) => {
    release(parts);
    const own: Parts = {
      abort: new AbortController(),
      loudspeaker: createLoudspeaker(soundRateHz),
      link: undefined,
      microphone: undefined,
    };
    parts.current = own;
    const isCurrent = () => parts.current === own;
    setState(firstState);
    setError(undefined);
    setLostCode(undefined);
    setPhase('connecting');
    setBegun({ atMs: Date.now(), model: settings.model });
    try {
      own.link = await openLive(
        settings,
        {
          onOpen: () => isCurrent() && setPhase('live'),
          onClose: (code) => isCurrent() && end(code),
          onEvent: (event) => {
            if (!isCurrent()) return;
            setState((before) => readInto(before, event));
            const sound = soundIn(event);
            if (sound !== undefined) own.loudspeaker.play(sound.itemId, sound.base64);
            // Whoever speaks is not talked over.
            if (event.type === 'input_audio_buffer.speech_started') cutShort(own);
          },
        },
        { token, wire, signal: own.abort.signal },
      );
    } catch (cause) {
      if (!isCurrent()) return;
      end(farewell);
      setError(cause instanceof Error ? cause : new AskError(String(cause), { status: 0, code: 'unreachable' }));
    }
  };
  return {
    phase,
    begun,
    state,
    error,
    lostCode,
    ...microphone.view,
    start: (settings) => void start(settings),
    hangUp: () => end(farewell),
    say(text) {
      const own = parts.current;
      if (own === undefined) return;
      interrupt(own, state);
      const content = [{ type: 'input_text', text }];
      own.link?.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      own.link?.send({ type: 'response.create' });
    },
    interrupt: () => parts.current !== undefined && interrupt(parts.current, state),
    toggleMicrophone: microphone.toggle,
  };
}

type PartsRef = { current: Parts | undefined };

function useMicrophone(parts: PartsRef) {
  const [isHearing, setIsHearing] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const [level, setLevel] = useState(0);
  const reset = () => {
    setIsHearing(false);
    setLevel(0);
  };
  const open = async (own: Parts) => {
    setIsRefused(false);
    try {
      const opened = await openMicrophone(soundRateHz, {
        onSound: (audio) => own.link?.send({ type: 'input_audio_buffer.append', audio }),
        onLevel: setLevel,
      });
      // The person may have hung up while the browser asked.
      if (parts.current !== own) return opened.close();
      own.microphone = opened;
      setIsHearing(true);
    } catch {
      setIsRefused(true);
    }
  };
  const toggle = () => {
    const own = parts.current;
    if (own === undefined) return;
    if (own.microphone === undefined) return void open(own);
    own.microphone.close();
    own.microphone = undefined;
    reset();
  };
  return { view: { isHearing, isRefused, level }, reset, toggle };
}

function interrupt(own: Parts, state: LiveState): void {
  if (state.responseId !== undefined) own.link?.send({ type: 'response.cancel' });
  cutShort(own);
}

/** What was not heard was not said: the model is told where its voice was cut off. */
function cutShort({ loudspeaker, link }: Parts): void {
  const cut = loudspeaker.silence();
  if (cut === undefined) return;
  link?.send({ type: 'conversation.item.truncate', item_id: cut.itemId, content_index: 0, audio_end_ms: cut.heardMs });
}

function release(parts: PartsRef): void {
  const own = parts.current;
  parts.current = undefined;
  own?.abort.abort();
  own?.microphone?.close();
  own?.link?.close();
  own?.loudspeaker.close();
}
