/** Videos ordered by words, each with its progress; they go on being made while other tabs are looked at. */

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field, Select, TextField } from '../../../../components/fields/field.tsx';
import { useTell } from '../../../../components/overlays/toast.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import type { OperationPanelProps } from '../../playground-contract.ts';
import { type CallFacts, type CallOptions, callForJson, jsonRequest, textOf } from '../call.ts';
import { keep, kept, useDraft } from '../draft.ts';
import { optionalNumber, useNextExample } from '../field-texts.ts';
import { sizeText } from '../images/sizes.ts';
import { ModelField, NoModel, useModel } from '../model-choice.tsx';
import { FieldRow, OperationFrame } from '../operation-frame.tsx';
import { useRun } from '../use-run.ts';
import { VideoCard } from './video-card.tsx';
import { type OrderedVideo, withOrder } from './video-task.ts';

const sizes = ['640x360', '1280x720', '720x1280', '1024x1024'] as const;
const ordersName = 'video.orders';
const readOrders = (): readonly OrderedVideo[] => kept<readonly OrderedVideo[]>(ordersName) ?? [];

export function Panel({ token, models, wire }: OperationPanelProps) {
  const all = useWords().operations;
  const words = all.video;
  const choice = useModel(models, 'make-video');
  const [prompt, setPrompt] = useDraft('video.prompt', words.examples.first);
  const [seconds, setSeconds] = useDraft('video.seconds', '2');
  const [size, setSize] = useDraft<string>('video.size', '640x360');
  const run = useRun<readonly OrderedVideo[]>('video');
  const { orders, add, remove, leaving } = useOrders({ token, models, wire });
  const nextExample = useNextExample(words.examples, setPrompt);
  if (choice.model === '') return <NoModel what={words.what} />;
  const start = () =>
    run.start(async (call) => {
      const wanted = optionalNumber(seconds);
      const body = {
        model: choice.model,
        prompt,
        ...(wanted !== undefined && { seconds: wanted }),
        ...(size !== '' && { size }),
      };
      return add(await ordered(body, { token, wire, ...call }));
    });
  // What the gateway is making matters more than what the last press returned, which may be from before a reload.
  const shown = { ...run, result: orders.length === 0 ? undefined : orders, isGoing: run.isGoing, tookMs: undefined };
  return (
    <OperationFrame
      run={shown}
      choice={choice}
      action={words.action}
      empty={words.empty}
      canRun={prompt.trim() !== ''}
      onRun={start}
      onExample={nextExample}
      result={<Videos orders={orders} leaving={leaving} onRemove={remove} token={token} models={models} wire={wire} />}
    >
      <ModelField choice={choice} />
      <TextField label={words.prompt} rows={4} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      <FieldRow>
        <Field
          label={words.seconds}
          type="number"
          min={1}
          max={60}
          mono
          value={seconds}
          onChange={(event) => setSeconds(event.target.value)}
        />
        <Select
          label={words.size}
          value={size}
          onChange={(event) => setSize(event.target.value)}
          options={[
            { value: '', label: all.choose.auto },
            ...sizes.map((value) => ({ value, label: sizeText(value) })),
          ]}
        />
      </FieldRow>
    </OperationFrame>
  );
}

interface VideosProps extends OperationPanelProps {
  readonly orders: readonly OrderedVideo[];
  readonly leaving: ReadonlySet<string>;
  onRemove(order: OrderedVideo, wasOver: boolean): void;
}

function Videos({ orders, leaving, ...card }: VideosProps) {
  const words = useWords().operations.video;
  return (
    <ul aria-label={words.tasks} className="grid gap-4">
      {orders.map((order) => (
        <li key={order.id}>
          <VideoCard {...card} order={order} isLeaving={leaving.has(order.id)} />
        </li>
      ))}
    </ul>
  );
}

interface OrderBody {
  readonly model: string;
  readonly prompt: string;
}

/** With who serves it, which only this reply says. */
async function ordered(body: OrderBody, options: CallOptions): Promise<OrderedVideo> {
  const { model, prompt } = body;
  let facts: CallFacts | undefined;
  const note = (known: CallFacts) => {
    facts = known;
  };
  const answer = await callForJson(jsonRequest('/v1/video/generations', body), { ...options, model, note });
  return {
    id: textOf(answer['task_id']),
    model,
    prompt,
    orderedAtMs: Date.now(),
    ...(facts !== undefined && { provider: facts.provider, requestId: facts.requestId }),
  };
}

/** Deleting is for the gateway too: it stops what is being made, and throws away what was. */
function useOrders({ token, wire }: OperationPanelProps) {
  const words = useWords().operations.video;
  const tell = useTell();
  const queries = useQueryClient();
  const [orders, setOrders] = useState(readOrders);
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const hold = (next: readonly OrderedVideo[]) => {
    keep(ordersName, next);
    setOrders(next);
    return next;
  };
  const remove = async (order: OrderedVideo, wasOver: boolean) => {
    setLeaving((before) => new Set(before).add(order.id));
    try {
      await callForJson({ method: 'DELETE', path: `/v1/videos/${order.id}` }, { token, wire, model: order.model });
      tell({ text: wasOver ? words.removed : words.cancelled, tone: 'ok' });
    } catch {
      // It may be gone already: either way it is nothing for this list any more.
      tell({ text: words.gone });
    }
    queries.removeQueries({ queryKey: ['playground', 'video', order.id] });
    hold(readOrders().filter(({ id }) => id !== order.id));
    setLeaving((before) => new Set([...before].filter((id) => id !== order.id)));
  };
  return {
    orders,
    leaving,
    add: (order: OrderedVideo) => hold(withOrder(readOrders(), order)),
    remove: (order: OrderedVideo, wasOver: boolean) => void remove(order, wasOver),
  };
}
