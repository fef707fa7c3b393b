/** Whether a list goes on by itself: a switch with a dot that is lit while it does. */

import { useWords } from '../words/use-words.tsx';
import { Button } from './button.tsx';

export function LiveSwitch({ isOn, onChange }: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }) {
  const words = useWords().requests;
  return (
    <Button size="small" role="switch" aria-checked={isOn} onClick={() => onChange(!isOn)}>
      <span
        aria-hidden="true"
        className={`size-2 rounded-full border ${isOn ? 'animate-breathe border-transparent bg-ok' : 'border-line-strong'}`}
      />
      {words.live}
    </Button>
  );
}
