/** How the next message goes out, from the address and the token: which models, which format, and whether the books can be read afterwards. */

import { useMemo } from 'react';
import { useQueryWord } from '../../router/router.tsx';
import { useSessionState } from '../../session/session.tsx';
import { type Conversation, type FormatName, formatNames } from './conversation/conversation.ts';
import type { Way } from './conversation/conversations.ts';
import { converses } from './models.ts';
import type { PlaygroundModel, PlaygroundToken } from './playground-contract.ts';
import { costOfRequest } from './wire/send-on-wire.ts';
import type { WireStore } from './wire/wire-store.ts';

export interface WayChoice {
  readonly way: Way;
  setModel(id: string): void;
  /** Undefined: back to one model. */
  setBeside(id: string | undefined): void;
  setFormat(format: FormatName): void;
}

/** In the place of a second model where the conversation had one and it was taken away. */
const noModel = '-';

export function useWay(parts: {
  readonly conversation: Conversation;
  readonly catalogue: readonly PlaygroundModel[];
  readonly wire: WireStore;
  fresh(): Promise<PlaygroundToken>;
}): WayChoice {
  const { conversation, catalogue, wire, fresh } = parts;
  const { session } = useSessionState();
  const [modelWord, setModel] = useQueryWord('model', { replace: true });
  const [besideWord, setBesideWord] = useQueryWord('beside', { replace: true });
  const [formatWord, setFormatWord] = useQueryWord('format', { replace: true });
  const model = modelWord ?? conversation.models[0] ?? catalogue.find(converses)?.id;
  const beside = besideWord ?? conversation.models[1];
  const format = formatNames.find((name) => name === formatWord) ?? 'chat';
  const mayRead = session?.may('GET /console/api/usage/requests/{id}') === true;
  const way = useMemo<Way>(
    () => ({
      models: [model, beside].filter((id): id is string => id !== undefined && id !== '' && id !== noModel),
      format,
      catalogue,
      wire,
      token: fresh,
      ...(mayRead && { costOf: costFromBooks }),
    }),
    [model, beside, format, catalogue, wire, fresh, mayRead],
  );
  return {
    way,
    setModel,
    setBeside: (id) => setBesideWord(id ?? (conversation.models[1] === undefined ? undefined : noModel)),
    setFormat: (name) => setFormatWord(name === 'chat' ? undefined : name),
  };
}

/** The row is written in a group with others, a moment after the reply's last byte. */
const triesMax = 4;
const betweenTriesMs = 400;

async function costFromBooks(requestId: string): Promise<string | null | undefined> {
  for (let tries = 0; tries < triesMax; tries++) {
    const cost = await costOfRequest(requestId, AbortSignal.timeout(5_000)).catch(() => undefined);
    if (cost !== undefined) return cost;
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
  return undefined;
}
