/** Takes a kept request into the playground, where it can be changed and asked again. */

import { useState } from 'react';
import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import type { RequestContentView } from '../../../../admin/contracts/settings-contract.ts';
import { ask } from '../../../api/ask.ts';
import { Button } from '../../../components/button.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { randomId } from '../../../random-id.ts';
import { useNavigation } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { createConversationKeep } from '../../playground/conversation/conversation-keep.ts';
import { replayFormat, replayOf } from './replay.ts';

export function isConversation({ row }: RequestDetailView): boolean {
  return row !== undefined && replayFormat(row.endpoint) !== undefined;
}

export function ToPlayground({ story: { requestId, row } }: { readonly story: RequestDetailView }) {
  const words = useWords().requests;
  const navigation = useNavigation();
  const tell = useTell();
  const [isBusy, setBusy] = useState(false);
  const open = async () => {
    const path = `/console/api/usage/requests/${encodeURIComponent(requestId)}/content`;
    const { request } = await ask<RequestContentView>(path);
    const replay = replayOf(request, row?.model ?? '', { nowMs: Date.now(), newId: randomId });
    if (replay === undefined) return tell({ text: words.cannotReplay, tone: 'bad' });
    // Kept where the playground keeps its own: in this browser and nowhere else.
    await createConversationKeep(indexedDB).write(replay);
    const format = replayFormat(row?.endpoint ?? '') ?? 'chat';
    navigation.go(`/console/playground?${new URLSearchParams({ conversation: replay.id, format })}`);
  };
  const press = () => {
    setBusy(true);
    void open()
      .catch((error: unknown) => tell({ text: error instanceof Error ? error.message : String(error), tone: 'bad' }))
      .finally(() => setBusy(false));
  };
  return (
    <Button icon="playground" busy={isBusy} onClick={press}>
      {words.toPlayground}
    </Button>
  );
}
