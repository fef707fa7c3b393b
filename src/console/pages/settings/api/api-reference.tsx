/** The public interface as its own description tells it: paths by family, found by a search, and for each one its fields, examples and a try. */

import { useMemo } from 'react';
import { useAsk } from '../../../api/use-ask.ts';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FilterField } from '../../../components/fields/filter-field.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Prose } from '../prose.tsx';
import { type FoundOperation, findOperations } from './find-operations.ts';
import { readApi } from './openapi.ts';
import { OperationPanel } from './operation-panel.tsx';

const methodTones: Readonly<Record<string, Tone>> = { GET: 'accent', POST: 'ok', DELETE: 'bad' };

/** `level` is that of the families' headings, which depends on where the reference stands. */
export function ApiReference({ level: Heading }: { readonly level: 'h2' | 'h4' }) {
  const words = useWords().reference;
  const { data, error, refetch } = useAsk<unknown>('/openapi.json');
  const families = useMemo(() => readApi(data), [data]);
  const [text = '', setText] = useQueryWord('find', { replace: true });
  const [openId, setOpenId] = useQueryWord('operation');
  const found = useMemo(() => findOperations(families, text), [families, text]);
  if (error !== null && data === undefined) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <SkeletonText lines={8} />;
  const open = families.flatMap(({ operations }) => operations).find(({ id }) => id === openId);
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterField label={words.search} value={text} onChange={setText} />
        <span role="status" className="text-xs text-quiet">
          {text === '' ? '' : words.found(count)}
        </span>
      </div>
      {count === 0 && (
        <EmptyState
          icon="search"
          title={words.nothing(text)}
          action={<Button onClick={() => setText(undefined)}>{words.clear}</Button>}
        >
          {words.nothingHint}
        </EmptyState>
      )}
      {found.map(({ name, operations }) => (
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
        size="wide"
        title={
          open !== undefined && (
            <span className="flex items-center gap-1 font-mono text-base">
              <Method method={open.method} />
              <span className="truncate">{open.path}</span>
            </span>
          )
        }
        onClose={() => setOpenId(undefined)}
      >
        {open !== undefined && <OperationPanel key={open.id} operation={open} />}
      </SidePanel>
    </div>
  );
}

interface LineProps {
  readonly operation: FoundOperation;
  readonly isOpen: boolean;
  onOpen(): void;
}

function OperationLine({ operation, isOpen, onOpen }: LineProps) {
  const words = useWords().reference;
  const { foundFields } = operation;
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-current={isOpen ? 'true' : undefined}
      className="grid min-h-9 w-full cursor-pointer items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-left hover:bg-sunken focus-visible:outline-offset-[-2px] aria-[current]:bg-wash md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
    >
      <span className="flex min-w-0 items-center gap-3">
        <Method method={operation.method} />
        <span className="min-w-0 font-mono text-sm break-all">{operation.path}</span>
      </span>
      <span className="grid min-w-0 text-sm text-quiet">
        <span>
          <Prose text={operation.summary} />
        </span>
        {foundFields.length > 0 && <span className="text-xs">{words.fieldsFound(foundFields.join(', '))}</span>}
      </span>
    </button>
  );
}

const Method = ({ method }: { readonly method: string }) => (
  <span className="inline-flex w-16 shrink-0">
    <Badge tone={methodTones[method] ?? 'plain'}>{method}</Badge>
  </span>
);
