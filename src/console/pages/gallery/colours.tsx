/** The tokens in both themes side by side, whichever theme the page has. */

import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Progress } from '../../components/progress.tsx';

const grounds = ['surface', 'raised', 'sunken', 'pressed', 'line', 'wash'] as const;
const inks = ['text', 'quiet', 'accent', 'ok', 'warn', 'bad', 'test'] as const;

export function Colours() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {(['light', 'dark'] as const).map((theme) => (
        <div
          key={theme}
          data-theme={theme}
          className="grid gap-4 rounded-md border border-line bg-surface p-4 text-text"
        >
          <div className="grid grid-cols-3 gap-2 sm:grid-cols-6">
            {grounds.map((name) => (
              <Swatch key={name} name={name} />
            ))}
          </div>
          <p className="flex flex-wrap gap-x-4 gap-y-1">
            {inks.map((name) => (
              <span key={name} className="font-medium" style={{ color: `var(--${name})` }}>
                {name}
              </span>
            ))}
          </p>
          <div className="flex flex-wrap items-center gap-2">
            <Button kind="primary">Create</Button>
            <Button>Copy</Button>
            <Badge tone="ok" dot>
              active
            </Badge>
            <Badge tone="test" dot>
              Sandbox
            </Badge>
          </div>
          <Progress label={`Budget, ${theme}`} share={0.86} text="$8.60 of $10" />
          <div className="flex gap-1" aria-hidden="true">
            {Array.from({ length: 8 }, (_, index) => index + 1).map((colour) => (
              <span key={colour} className="h-2 grow rounded-sm" style={{ background: `var(--series-${colour})` }} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function Swatch({ name }: { readonly name: string }) {
  return (
    <div className="grid gap-1">
      <span className="h-8 rounded-sm border border-line" style={{ background: `var(--${name})` }} />
      <span className="text-xs text-quiet">{name}</span>
    </div>
  );
}
