/** What really goes over the wire: the request in any format, every event with its time, the headers, and the same as code. */

import { useState, useSyncExternalStore } from 'react';
import { Badge } from '../../../components/badge.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Select } from '../../../components/fields/field.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { useFacts } from '../../../frame/facts.tsx';
import { HighlightedBlock } from '../../../highlight/highlighted-block.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { durationText } from '../../../texts/time.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { type FormatName, formatNames } from '../conversation/conversation.ts';
import type { WireRequest } from '../playground-contract.ts';
import { EventList } from './event-list.tsx';
import { shownBody, shownHeaders } from './shown-body.ts';
import { type SnippetLanguage, snippetOf } from './snippets.ts';
import type { WireRecord, WireStore } from './wire-store.ts';

interface WirePanelProps {
  readonly store: WireStore;
  /** For the conversation: the format that was chosen, and the request that a press on send would make. */
  readonly next?: {
    readonly format: FormatName;
    readonly request: WireRequest;
    onFormat(format: FormatName): void;
  };
}

const nextId = 'next';

export function WirePanel({ store, next }: WirePanelProps) {
  const words = useWords().playground.wire;
  const records = useSyncExternalStore(store.subscribe, store.records);
  const [tab = 'request', setTab] = useQueryWord('wire', { replace: true });
  // The latest exchange, until someone chooses; what they chose holds until another begins.
  const [chosen, setChosen] = useState<{ readonly id: string; readonly among: string }>();
  const latestId = records[0]?.id ?? nextId;
  const id = chosen !== undefined && chosen.among === latestId ? chosen.id : latestId;
  const record = records.find((candidate) => candidate.id === id);
  const request = record?.request ?? next?.request;
  const choose = (to: string) => setChosen({ id: to, among: latestId });
  return (
    <div className="flex h-full min-h-0 flex-col gap-4">
      {next !== undefined && (
        <FormatChoice
          format={next.format}
          onChoose={(format) => {
            next.onFormat(format);
            choose(nextId);
          }}
        />
      )}
      <RecordChoice records={records} hasNext={next !== undefined} value={id} onChoose={choose} />
      <div className="wire-tabs min-h-0 grow">
        <Tabs
          label={words.title}
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'request', label: words.tabs.request, content: <RequestView request={request} /> },
            {
              id: 'events',
              label: words.tabs.events,
              content: (
                <div className="h-[calc(100dvh-400px)] min-h-64 max-lg:h-72">
                  <EventList key={record?.id} events={record?.events ?? []} count={record?.events.length ?? 0} />
                </div>
              ),
            },
            { id: 'headers', label: words.tabs.headers, content: <HeadersView record={record} /> },
            { id: 'code', label: words.tabs.code, content: <CodeView request={request} /> },
          ]}
        />
      </div>
    </div>
  );
}

function FormatChoice({ format, onChoose }: { readonly format: FormatName; onChoose(format: FormatName): void }) {
  const words = useWords().playground.wire;
  return (
    <fieldset className="grid gap-1.5">
      <legend className="pb-1.5 text-sm font-medium">{words.format}</legend>
      <div className="grid grid-cols-2 gap-1 rounded-md bg-sunken p-1">
        {formatNames.map((name) => (
          <label
            key={name}
            className="relative flex h-7 cursor-pointer items-center justify-center rounded-sm px-2 text-center text-sm text-quiet has-checked:bg-raised has-checked:text-text has-checked:shadow-[0_0_0_1px_var(--line)] has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="wire-format"
              value={name}
              checked={name === format}
              onChange={() => onChoose(name)}
              className="sr-only"
            />
            <span className="truncate">{words.formats[name]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface RecordChoiceProps {
  readonly records: readonly WireRecord[];
  readonly hasNext: boolean;
  readonly value: string;
  onChoose(id: string): void;
}

function RecordChoice({ records, hasNext, value, onChoose }: RecordChoiceProps) {
  const { tag, words: all } = useSpeech();
  const words = all.playground.wire;
  const timeOf = (record: WireRecord) =>
    record.totalMs === undefined ? words.running : durationText(record.totalMs, tag, all.units);
  return (
    <Select
      label={words.exchange}
      value={value}
      className="font-mono text-sm"
      options={[
        ...records.map((record) => ({
          value: record.id,
          label: [record.status ?? '', record.request.path.split('?')[0], record.model, timeOf(record)]
            .filter(Boolean)
            .join(' · '),
        })),
        ...(hasNext || records.length === 0 ? [{ value: nextId, label: words.next }] : []),
      ]}
      onChange={(event) => onChoose(event.target.value)}
    />
  );
}

function RequestView({ request }: { readonly request: WireRequest | undefined }) {
  const words = useWords().playground.wire;
  if (request === undefined) return <EmptyState icon="wire" title={words.noEvents} />;
  return (
    <div className="grid gap-3">
      <CodeBlock
        title={words.tabs.request}
        code={`${request.method} ${request.path}\n${shownHeaders(request, words.hidden)}`}
        wrap
      />
      {request.body !== undefined && (
        <HighlightedBlock
          title={words.body}
          language={request.body.kind === 'json' ? 'json' : ''}
          code={shownBody(request.body)}
          wrap
        />
      )}
    </div>
  );
}

function HeadersView({ record }: { readonly record: WireRecord | undefined }) {
  const words = useWords().playground.wire;
  if (record?.status === undefined) return <EmptyState icon="wire" title={words.noHeaders} />;
  const isOk = record.status < 400 && record.failure === undefined;
  return (
    <div className="grid gap-3">
      <p className="flex items-center gap-2 text-sm">
        {words.status}
        <Badge tone={isOk ? 'ok' : 'bad'}>{`${record.status}`}</Badge>
        {record.failure !== undefined && <span className="min-w-0 truncate text-quiet">{record.failure}</span>}
      </p>
      <dl className="grid gap-1 font-mono text-xs">
        {record.headers.map(([name, value]) => (
          <div key={name} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-3 border-b border-line py-1">
            <dt className={name.startsWith('x-') ? 'text-accent' : 'text-quiet'}>{name}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const languages: readonly SnippetLanguage[] = ['curl', 'python', 'node'];
const fenceNames: Readonly<Record<SnippetLanguage, string>> = { curl: 'bash', python: 'python', node: 'js' };

function CodeView({ request }: { readonly request: WireRequest | undefined }) {
  const words = useWords().playground.wire;
  const { apiAddress } = useFacts();
  if (request === undefined) return <EmptyState icon="wire" title={words.noEvents} />;
  const origin = apiAddress.replace(/\/v1\/?$/, '');
  return (
    <div className="grid gap-3">
      <p className="text-xs text-quiet">{words.tokenNote}</p>
      {languages.map((language) => {
        const code = snippetOf(request, language, origin);
        return code === undefined ? null : (
          <HighlightedBlock
            key={`${language} ${request.path}`}
            title={words.code[language]}
            language={fenceNames[language]}
            code={code}
          />
        );
      })}
    </div>
  );
}
