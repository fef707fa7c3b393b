/** A form in a side panel: cancel and save below it, and a question before anything written is lost. */

import type { ReactNode } from 'react';
import { useLeave } from '../../router/unsaved.tsx';
import { Button } from '../button.tsx';
import { SidePanel } from './side-panel.tsx';

interface FormPanelProps {
  readonly title: string;
  readonly words: { readonly cancel: string; readonly save: string; readonly close: string };
  readonly busy: boolean;
  /** False: the fields are shown and cannot be changed. */
  readonly mayWrite?: boolean;
  readonly children: ReactNode;
  /** Below the form. */
  readonly after?: ReactNode;
  onSubmit(): void;
  onClose(): void;
}

const formId = 'form-panel';

export function FormPanel({ title, words, busy, mayWrite = true, children, after, onSubmit, onClose }: FormPanelProps) {
  const leave = useLeave();
  const actions = mayWrite ? (
    <>
      <Button onClick={() => leave(onClose)}>{words.cancel}</Button>
      <Button type="submit" form={formId} kind="primary" busy={busy}>
        {words.save}
      </Button>
    </>
  ) : (
    <Button onClick={onClose}>{words.close}</Button>
  );
  return (
    <SidePanel open title={title} onClose={onClose} actions={actions}>
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <fieldset disabled={!mayWrite} className="grid min-w-0 gap-6">
          {children}
        </fieldset>
      </form>
      {after}
    </SidePanel>
  );
}
