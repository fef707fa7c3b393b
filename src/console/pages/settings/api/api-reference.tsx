/** The public interface as its own description tells it: paths by family, and for each one its fields and a call to copy. */

import { useMemo } from 'react';
import { useAsk } from '../../../api/use-ask.ts';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { Part } from '../../../components/part.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useFacts } from '../../../frame/facts.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Prose } from '../prose.tsx';
import { type ApiField, type ApiOperation, curlOf, readApi } from './openapi.ts';

const methodTones: Readonly<Record<string, Tone>> = { GET: 'accent', POST: 'ok', DELETE: 'bad' };

/** `level` is that of the families' headings, which depends on where the reference stands. */
export function ApiReference({ level: Heading }: { readonly level: 'h2' | 'h4' }) {
  const { data, error, refetch } = useAsk<unknown>('/openapi.json');
  const families = useMemo(() => readApi(data), [data]);
  const [openId, setOpenId] = useQueryWord('operation');
  if (error !== null && data === undefined) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <SkeletonText lines={8} />;
  const open = families.flatMap(({ operations }) => operations).find(({ id }) => id === openId);
  return (
    <div className="grid gap-5">
      {families.map(({ name, operations }) => (
        <section key={name} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <Heading className="text-sm text-quiet">{name}</Heading>
          <ul className="rounded-md border border-line bg-raised">
            {operations.map((operation) => (
              <li key={operation.id} className="border-b border-line last:border-b-0">
                <OperationLine
                  operation={operation}
                  isOpen={operation.id === openId}
                  onOpen={() => setOpenId(operation.id)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <SidePanel
        open={open !== undefined}
        title={<span className="font-mono text-base">{open?.path}</span>}
        onClose={() => setOpenId(undefined)}
      >
        {open !== undefined && <OperationStory operation={open} />}
      </SidePanel>
    </div>
  );
}

interface LineProps {
  readonly operation: ApiOperation;
  readonly isOpen: boolean;
  onOpen(): void;
}

function OperationLine({ operation, isOpen, onOpen }: LineProps) {
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-current={isOpen ? 'true' : undefined}
      className="flex min-h-9 w-full cursor-pointer items-center gap-3 px-3 py-1.5 text-left hover:bg-sunken focus-visible:outline-offset-[-2px] aria-[current]:bg-wash"
    >
      <Method method={operation.method} />
      <span className="min-w-0 font-mono text-sm break-all">{operation.path}</span>
      <span className="ml-auto hidden min-w-0 truncate text-sm text-quiet md:block">
        <Prose text={operation.summary} />
      </span>
    </button>
  );
}

const Method = ({ method }: { readonly method: string }) => (
  <span className="inline-flex w-16 shrink-0">
    <Badge tone={methodTones[method] ?? 'plain'}>{method}</Badge>
  </span>
);

function OperationStory({ operation }: { readonly operation: ApiOperation }) {
  const words = useWords().settings;
  const { apiAddress } = useFacts();
  const places = ['path', 'query', 'header', 'body'] as const;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <div className="grid gap-2">
        <Method method={operation.method} />
        {operation.summary !== '' && (
          <p className="font-medium">
            <Prose text={operation.summary} />
          </p>
        )}
        {operation.description !== '' && (
          <p className="text-quiet whitespace-pre-line">
            <Prose text={operation.description} />
          </p>
        )}
      </div>
      <CodeBlock title={words.example} code={curlOf(operation, apiAddress.replace(/\/v1$/, ''))} />
      {places.map((place) => {
        const fields = operation.fields.filter((field) => field.place === place);
        return (
          fields.length > 0 && (
            <Part key={place} title={words.fieldPlaces[place]}>
              <FieldRows fields={fields} />
            </Part>
          )
        );
      })}
      {operation.statuses.length > 0 && (
        <Part title={words.replies}>
          <ul className="text-sm">
            {operation.statuses.map(({ status, description }) => (
              <li key={status} className="flex gap-4 border-b border-line py-1.5 last:border-b-0">
                <span className="w-14 shrink-0 font-mono">{status}</span>
                <span className="text-quiet">
                  <Prose text={description} />
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  );
}

function FieldRows({ fields }: { readonly fields: readonly ApiField[] }) {
  const words = useWords().settings;
  return (
    <ul className="text-sm">
      {fields.map(({ name, type, required, description }) => (
        <li key={name} className="grid gap-0.5 border-b border-line py-2 last:border-b-0">
          <span className="flex flex-wrap items-baseline gap-x-3">
            <code className="font-medium">{name}</code>
            <span className="font-mono text-xs break-words text-quiet">{type}</span>
            {required && <span className="text-xs text-warn">{words.required}</span>}
          </span>
          {description !== '' && (
            <span className="text-quiet">
              <Prose text={description} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
