/** How the next message goes out, from the address and the token: which models, which format, and whether the ledger can be read afterwards. */

import { useMemo } from 'react';
import { useQueryWord } from '../../router/router.tsx';
import { useSessionState } from '../../session/session.tsx';
import { type Conversation, type FormatName, formatNames } from './conversation/conversation.ts';
import type { Way } from './conversation/conversations.ts';
import { converses } from './models.ts';
import type { PlaygroundModel, PlaygroundToken } from './playground-contract.ts';
import { costFromLedger } from './wire/ledger-cost.ts';
import type { WireStore } from './wire/wire-store.ts';

export interface WayChoice {
  readonly way: Way;
  setModel(id: string): void;
  /** The models beside the first; none: back to one model. */
  setBeside(ids: readonly string[]): void;
  setFormat(format: FormatName): void;
}

/** In the place of further models where the conversation had some and they were taken away. */
const noModel = '-';

/** More columns than this cannot be read beside each other. */
export const modelsMax = 4;

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
  const besideText = besideWord ?? conversation.models.slice(1).join(',');
  const format = formatNames.find((name) => name === formatWord) ?? 'chat';
  const mayRead = session?.may('GET /console/api/usage/requests/{id}') === true;
  const way = useMemo<Way>(
    () => ({
      models: [model ?? '', ...besideText.split(',')].filter((id) => id !== '' && id !== noModel).slice(0, modelsMax),
      format,
      catalogue,
      wire,
      token: fresh,
      ...(mayRead && { costOf: costFromLedger }),
    }),
    [model, besideText, format, catalogue, wire, fresh, mayRead],
  );
  return {
    way,
    setModel,
    setBeside: (ids) =>
      setBesideWord(ids.length > 0 ? ids.join(',') : conversation.models.length < 2 ? undefined : noModel),
    setFormat: (name) => setFormatWord(name === 'chat' ? undefined : name),
  };
}
