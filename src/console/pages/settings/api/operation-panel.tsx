/** One operation: what it does, the call in three languages, its fields and replies; and a tab in which it can be tried. */

import { lazy, Suspense, useState } from 'react';
import { Part } from '../../../components/part.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { useFacts } from '../../../frame/facts.tsx';
import { HighlightedBlock } from '../../../highlight/highlighted-block.tsx';
import { remember, remembered } from '../../../remembered.ts';
import { useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Prose } from '../prose.tsx';
import { type ExampleLanguage, exampleLanguages, exampleOf } from './examples.ts';
import type { ApiField, ApiOperation } from './openapi.ts';

const TryIt = lazy(async () => ({ default: (await import('./try-it/try-it.tsx')).TryIt }));

export function OperationPanel({ operation }: { readonly operation: ApiOperation }) {
  const words = useWords().reference;
  const [view, setView] = useQueryWord('view', { replace: true });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {operation.summary !== '' && (
        <p className="font-medium">
          <Prose text={operation.summary} />
        </p>
      )}
      <Tabs
        label={words.views}
        value={view === 'try' ? 'try' : 'about'}
        onChange={(id) => setView(id === 'try' ? id : undefined)}
        tabs={[
          { id: 'about', label: words.overview, content: <About operation={operation} /> },
          {
            id: 'try',
            label: words.tryIt,
            content: isUntried(operation) ? (
              <p className="text-quiet">{operation.isSocket ? words.socketOnly : words.adminKeyOnly}</p>
            ) : (
              <Suspense fallback={<SkeletonText lines={6} />}>
                <TryIt operation={operation} />
              </Suspense>
            ),
          },
        ]}
      />
    </div>
  );
}

/** A form keeps what is pasted as the tab's token; an admin key is none. */
const isUntried = ({ isSocket, scope }: ApiOperation): boolean => isSocket || scope !== undefined;

function About({ operation }: { readonly operation: ApiOperation }) {
  const words = useWords().settings;
  const places = ['path', 'query', 'header', 'body'] as const;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {operation.description !== '' && (
        <p className="text-quiet whitespace-pre-line">
          <Prose text={operation.description} />
        </p>
      )}
      <Examples operation={operation} />
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

const fenceNames: Readonly<Record<ExampleLanguage, string>> = { curl: 'bash', python: 'python', typescript: 'ts' };

function Examples({ operation }: { readonly operation: ApiOperation }) {
  const words = useWords().reference;
  const { apiAddress } = useFacts();
  const origin = apiAddress.replace(/\/v1\/?$/, '');
  const examples = exampleLanguages.flatMap((language) => {
    const code = exampleOf(operation, language, origin);
    return code === undefined ? [] : [{ language, code }];
  });
  const [chosen, setChosen] = useState(() => remembered('example-language'));
  const shown = examples.find(({ language }) => language === chosen) ?? examples[0];
  return (
    <Tabs
      label={words.examples}
      value={shown?.language ?? ''}
      onChange={(language) => {
        remember('example-language', language);
        setChosen(language);
      }}
      tabs={examples.map(({ language, code }) => ({
        id: language,
        label: words.languages[language],
        content: (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
            <HighlightedBlock title={words.languages[language]} language={fenceNames[language]} code={code} />
            {!operation.isPublic && (
              <p className="text-xs text-quiet">
                {operation.scope === undefined ? words.tokenNote : words.adminKeyNote(operation.scope)}
              </p>
            )}
          </div>
        ),
      }))}
    />
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
