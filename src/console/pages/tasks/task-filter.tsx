/** Narrows the list of tasks to a state or a model. */

import type { TaskRowView } from '../../../admin/contracts/settings-contract.ts';
import { Select } from '../../components/fields/field.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';

const states = ['queued', 'in_progress', 'completed', 'failed'] as const satisfies readonly TaskRowView['state'][];

export function TaskFilter({ tasks }: { readonly tasks: readonly TaskRowView[] }) {
  const words = useWords().tasks;
  const navigation = useNavigation();
  const [state] = useQueryWord('state');
  const [model] = useQueryWord('model');
  // The chosen one stays in the list also where it filters everything away.
  const models = [...new Set([...tasks.map((task) => task.model), ...(model === undefined ? [] : [model])])].sort();
  const set = (word: 'state' | 'model', value: string) =>
    navigation.go(withQuery(navigation.address(), { [word]: value, after: undefined }));
  return (
    <div className="grid max-w-xl grid-cols-2 gap-3">
      <Select
        data-filter=""
        label={words.state}
        value={state ?? ''}
        onChange={(event) => set('state', event.target.value)}
        options={[
          { value: '', label: words.allStates },
          ...states.map((value) => ({ value, label: words.states[value] })),
        ]}
      />
      <Select
        label={words.model}
        value={model ?? ''}
        onChange={(event) => set('model', event.target.value)}
        options={[{ value: '', label: words.allModels }, ...models.map((value) => ({ value, label: value }))]}
      />
    </div>
  );
}
