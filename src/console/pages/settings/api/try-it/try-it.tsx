/** Makes the call that the reference describes, with the reader's own token, and shows what comes back. */

import { type FormEvent, useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { Field, TextField } from '../../../../components/fields/field.tsx';
import { useWords } from '../../../../words/use-words.tsx';
import { FileButton } from '../../../playground/operations/file-button.tsx';
import { useModels } from '../../../playground/token/use-models.ts';
import { useToken } from '../../../playground/token/use-token.ts';
import type { ApiField, ApiOperation } from '../openapi.ts';
import { ReplyView } from './reply-view.tsx';
import { withServedModel } from './served-model.ts';
import { firstValues, keyOfField, requestOf, type TryFault, type TryValues } from './try-request.ts';
import { TryToken, tokenFor } from './try-token.tsx';
import { useTry } from './use-try.ts';

export function TryIt({ operation }: { readonly operation: ApiOperation }) {
  const words = useWords().reference;
  const tokens = useToken();
  const models = useModels(operation.isPublic ? undefined : tokens.token?.value);
  const [typed, setTyped] = useState(() => (tokens.token?.kind === 'pasted' ? tokens.token.value : ''));
  const [edited, setEdited] = useState<TryValues>();
  const [fault, setFault] = useState<TryFault | 'token'>();
  const { reply, send, stop } = useTry();
  const values = edited ?? withServedModel(operation.path, firstValues(operation), models.data ?? []);
  const change = (changes: Partial<TryValues>) => {
    setEdited({ ...values, ...changes });
    setFault(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const request = requestOf(operation, values);
    if (!('method' in request)) return setFault(request);
    const pasted = typed.trim();
    if (!operation.isPublic && pasted === '' && !tokens.mayMint) return setFault('token');
    setFault(undefined);
    if (pasted !== '') tokens.paste(pasted);
    const token = async () => (operation.isPublic ? '' : pasted || tokenFor(tokens));
    send({ ...request, token });
  };
  const isRunning = reply?.isRunning === true;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {operation.isPublic ? (
          <p className="text-sm text-quiet">{words.noToken}</p>
        ) : (
          <TryToken
            tokens={tokens}
            typed={typed}
            error={fault === 'token' ? words.needsToken : undefined}
            onType={setTyped}
          />
        )}
        <Inputs operation={operation} values={values} fault={fault} onChange={change} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button type="submit" kind="primary" busy={isRunning}>
            {words.send}
          </Button>
          {isRunning && <Button onClick={stop}>{words.stop}</Button>}
          {!operation.isPublic && <span className="text-xs text-quiet">{words.cost}</span>}
        </div>
      </form>
      {reply !== undefined && <ReplyView reply={reply} />}
    </div>
  );
}

interface InputsProps {
  readonly operation: ApiOperation;
  readonly values: TryValues;
  readonly fault: TryFault | 'token' | undefined;
  onChange(changes: Partial<TryValues>): void;
}

function Inputs({ operation, values, fault, onChange }: InputsProps) {
  const words = useWords().reference;
  const { fields, bodyType } = operation;
  const isForm = bodyType?.startsWith('multipart/') === true;
  const asked = fields.filter(({ place }) => place === 'path' || place === 'query' || (isForm && place === 'body'));
  const missing = fault !== undefined && fault !== 'token' && 'field' in fault ? fault.field : undefined;
  const badJson = fault !== undefined && fault !== 'token' && 'json' in fault ? fault.json : undefined;
  return (
    <>
      {asked.map((field) => (
        <Input
          key={keyOfField(field)}
          field={field}
          values={values}
          error={field.name === missing ? words.needed(field.name) : undefined}
          onChange={onChange}
        />
      ))}
      {bodyType === 'application/json' && (
        <TextField
          label={words.body}
          error={badJson === undefined ? undefined : words.badBody(badJson)}
          rows={Math.min(16, values.json.split('\n').length + 1)}
          spellCheck={false}
          className="font-mono text-sm"
          value={values.json}
          onChange={(event) => onChange({ json: event.target.value })}
        />
      )}
    </>
  );
}

interface InputProps extends Pick<InputsProps, 'values' | 'onChange'> {
  readonly field: ApiField;
  readonly error: string | undefined;
}

function Input({ field, values, error, onChange }: InputProps) {
  const words = useWords().reference;
  const key = keyOfField(field);
  if (field.isFile === true) {
    return (
      <div className="grid justify-items-start gap-1.5">
        <FileButton accept="" onFile={(file) => onChange({ files: { ...values.files, [field.name]: file } })}>
          {words.file(field.name)}
        </FileButton>
        <p className={`text-xs ${error === undefined ? 'text-quiet' : 'text-bad'}`}>
          {error ?? values.files[field.name]?.name ?? field.description}
        </p>
      </div>
    );
  }
  return (
    <Field
      label={field.name}
      {...(field.description !== '' && { hint: field.description.replaceAll('`', '') })}
      error={error}
      optional={!field.required}
      mono
      spellCheck={false}
      value={values.texts[key] ?? ''}
      onChange={(event) => onChange({ texts: { ...values.texts, [key]: event.target.value } })}
    />
  );
}
