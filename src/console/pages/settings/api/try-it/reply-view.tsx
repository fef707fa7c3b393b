/** What came back, whatever it was: status, times, headers and body, as text, and a file as a file. */

import { Duration } from '../../../../components/amounts.tsx';
import { Badge } from '../../../../components/badge.tsx';
import { ErrorNotice } from '../../../../components/error-notice.tsx';
import { Part } from '../../../../components/part.tsx';
import { HighlightedBlock } from '../../../../highlight/highlighted-block.tsx';
import { prettyJson } from '../../../../highlight/pretty-json.ts';
import { bytesText } from '../../../../texts/number.ts';
import { useSpeech, useWords } from '../../../../words/use-words.tsx';
import { DownloadLink } from '../../../playground/operations/download-link.tsx';
import { useObjectUrl } from '../../../playground/operations/use-object-url.ts';
import type { TryReply } from './use-try.ts';

export function ReplyView({ reply }: { readonly reply: TryReply }) {
  const { words: all, tag } = useSpeech();
  const words = all.reference;
  const { status, isRunning, totalMs, headMs, sizeBytes, error } = reply;
  return (
    <Part title={words.response}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3" aria-busy={isRunning}>
        <dl className="flex min-h-6 flex-wrap items-center gap-x-4 gap-y-1 text-xs text-quiet">
          {status !== undefined && (
            <Fact name={words.status}>
              <Badge tone={status < 400 ? 'ok' : 'bad'}>{`${status}`}</Badge>
            </Fact>
          )}
          {headMs !== undefined && (
            <Fact name={words.time}>
              <Duration ms={totalMs ?? headMs} />
            </Fact>
          )}
          {sizeBytes > 0 && <Fact name={words.size}>{bytesText(sizeBytes, tag)}</Fact>}
        </dl>
        <span role="status" className={isRunning ? 'animate-breathe text-xs text-quiet' : 'sr-only'}>
          {isRunning ? words.streaming : status === undefined ? '' : `${words.status} ${status}`}
        </span>
        {error !== undefined && <ErrorNotice error={error} />}
        <Body reply={reply} />
        {reply.headers.length > 0 && <Headers headers={reply.headers} />}
      </div>
    </Part>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex items-center gap-1.5">
      <dt>{name}</dt>
      <dd className="text-text">{children}</dd>
    </div>
  );
}

function Body({ reply: { text, file, type, isRunning, status } }: { readonly reply: TryReply }) {
  const words = useWords().reference;
  if (file !== undefined) return <FileBody file={file} />;
  if (text === '') {
    return isRunning || status === undefined ? null : <p className="text-sm text-quiet">{words.emptyBody}</p>;
  }
  const pretty = isRunning ? undefined : prettyJson(text);
  const isJson = pretty !== undefined || /json/i.test(type);
  return (
    <div className="max-h-[60vh] overflow-y-auto">
      <HighlightedBlock title={words.responseBody} language={isJson ? 'json' : ''} code={pretty ?? text} wrap />
    </div>
  );
}

function FileBody({ file }: { readonly file: Blob }) {
  const words = useWords().reference;
  const url = useObjectUrl(file);
  const name = words.preview(file.type);
  return (
    <div className="grid justify-items-start gap-3">
      {url !== undefined && /^image\/(?!svg)/.test(file.type) && (
        <img src={url} alt={name} className="max-h-80 rounded-md border border-line" />
      )}
      {url !== undefined && file.type.startsWith('audio/') && (
        // biome-ignore lint/a11y/useMediaCaption: what it says was sent a moment ago.
        <audio src={url} controls aria-label={name} />
      )}
      {url !== undefined && file.type.startsWith('video/') && (
        // biome-ignore lint/a11y/useMediaCaption: what it shows was asked for in words.
        <video src={url} controls playsInline aria-label={name} className="max-h-80" />
      )}
      <DownloadLink href={url} name={`reply.${extensionOf(file.type)}`} what={file.type} />
    </div>
  );
}

const extensionOf = (type: string): string => /^\w+\/(?:x-)?([a-z0-9]+)/.exec(type)?.[1] ?? 'bin';

function Headers({ headers }: Pick<TryReply, 'headers'>) {
  const words = useWords().reference;
  return (
    <details>
      <summary className="cursor-pointer rounded-sm text-sm font-medium">{words.headers}</summary>
      <dl className="grid gap-1 pt-2 font-mono text-xs">
        {headers.map(([name, value]) => (
          <div key={name} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-3 border-b border-line py-1">
            <dt className={name.startsWith('x-') ? 'text-accent' : 'text-quiet'}>{name}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
