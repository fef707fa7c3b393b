/** Above the conversation: the model that is asked, up to three others beside it, and the way to the list of conversations on a narrow page. */

import { IconButton } from '../../components/button.tsx';
import { SandboxBadge } from '../../frame/top-line.tsx';
import { useWords } from '../../words/use-words.tsx';
import { ModelPicker } from './model-picker.tsx';
import { converses, isSandbox } from './models.ts';
import { modelsMax, type WayChoice } from './use-way.ts';

export function ModelTools({ choice, onList }: { readonly choice: WayChoice; onList(): void }) {
  const { playground: words, answers } = useWords();
  const { way, setModel, setBeside } = choice;
  const models = way.catalogue.filter(converses);
  const [first = '', ...others] = way.models;
  const isSingle = others.length === 0;
  const next = models.find(({ id }) => !way.models.includes(id))?.id ?? first;
  return (
    // On a phone one model, its buttons and the badge share one line, so that nothing moves when the badge comes.
    <div className={`flex w-full min-w-0 items-center gap-2 sm:w-auto ${isSingle ? '' : 'flex-wrap'}`}>
      <IconButton
        icon="requests"
        label={words.conversations.open}
        className={isSingle ? 'min-[1200px]:hidden' : ''}
        onClick={onList}
      />
      <ModelPicker models={models} value={first} onChange={setModel} />
      {others.map((id, place) => (
        <span key={`${place} ${id}`} className="flex min-w-0 items-center">
          <ModelPicker models={models} value={id} onChange={(to) => setBeside(others.with(place, to))} />
          <IconButton
            icon="close"
            label={isSingleBeside(others) ? words.model.single : answers.removeModel(id)}
            onClick={() => setBeside(others.toSpliced(place, 1))}
          />
        </span>
      ))}
      {way.models.length < modelsMax && (
        <IconButton
          icon="columns"
          label={isSingle ? words.model.beside : answers.addModel}
          onClick={() => setBeside([...others, next])}
        />
      )}
      <span className={`ml-auto sm:hidden ${isSandbox(way.catalogue, way.models) ? '' : 'invisible'}`}>
        <SandboxBadge />
      </span>
    </div>
  );
}

const isSingleBeside = (others: readonly string[]): boolean => others.length === 1;
