/** Plays sound that the page holds, and says so where the browser cannot. */

import { type RefObject, useState } from 'react';
import { useObjectUrl } from '../use-object-url.ts';

interface SoundPlayerProps {
  readonly blob: Blob;
  readonly label: string;
  readonly unplayable: string;
  readonly player?: RefObject<HTMLAudioElement | null>;
}

export function SoundPlayer({ blob, label, unplayable, player }: SoundPlayerProps) {
  const url = useObjectUrl(blob);
  const [broken, setBroken] = useState<Blob>();
  return (
    <div className="grid min-h-14 gap-2">
      {url !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: what is said stands beside it as text.
        <audio
          key={url}
          ref={player}
          src={url}
          controls
          preload="auto"
          aria-label={label}
          className="w-full"
          onError={() => setBroken(blob)}
        />
      )}
      {broken === blob && (
        <p role="alert" className="text-sm text-warn">
          {unplayable}
        </p>
      )}
    </div>
  );
}
