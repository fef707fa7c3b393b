/** Which endpoints a token, or the tokens below a level, may call. */

import { endpointNames } from '../../snippets/endpoints.ts';
import { Check } from '../components/fields/field.tsx';
import { useWords } from '../words/use-words.tsx';

interface EndpointFieldsProps {
  readonly endpoints: readonly string[];
  readonly error?: string | undefined;
  onChange(endpoints: readonly string[]): void;
}

export function EndpointFields({ endpoints, error, onChange }: EndpointFieldsProps) {
  const words = useWords().tokens;
  const toggle = (endpoint: string, isOn: boolean) =>
    onChange(isOn ? [...endpoints, endpoint] : endpoints.filter((other) => other !== endpoint));
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-sm font-medium">{words.fields.endpoints}</legend>
      <p className="text-xs text-quiet">{words.endpointsHint}</p>
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
      <div className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3">
        {endpointNames.map((endpoint) => (
          <Check
            key={endpoint}
            label={words.endpoints[endpoint]}
            checked={endpoints.includes(endpoint)}
            onChange={(event) => toggle(endpoint, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
