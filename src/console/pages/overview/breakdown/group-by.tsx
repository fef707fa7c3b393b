/** By what the overview is grouped: a menu of all dimensions, and the word of the URL that holds the choice. */

import { useCallback } from 'react';
import type { Dimension } from '../../../../admin/contracts/analytics-contract.ts';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Menu, MenuChoice } from '../../../components/overlays/menu.tsx';
import { isDimension } from '../../../filter/kind-name.ts';
import { withQuery } from '../../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../../router/router.tsx';
import { useWords } from '../../../words/use-words.tsx';

export function useGroupBy(): readonly [Dimension | undefined, (by: Dimension | undefined) => void] {
  const words = useWords();
  const navigation = useNavigation();
  const [word = ''] = useQueryWord('by');
  const choose = useCallback(
    // How many rows are shown belongs to the dimension they are of.
    (by: Dimension | undefined) => navigation.go(withQuery(navigation.address(), { by, all: undefined })),
    [navigation],
  );
  return [isDimension(word, words) ? word : undefined, choose];
}

interface GroupByProps {
  readonly by: Dimension | undefined;
  onChoose(by: Dimension | undefined): void;
}

export function GroupBy({ by, onChoose }: GroupByProps) {
  const words = useWords();
  const { dimensions, groupBy, notGrouped } = words.usage;
  const options = [
    { value: '', label: notGrouped },
    ...Object.entries(dimensions).map(([value, { name }]) => ({ value, label: name })),
  ];
  return (
    <Menu
      trigger={
        <Button>
          <span className="text-quiet">{groupBy}</span> {by === undefined ? notGrouped : dimensions[by].name}
          <Icon name="chevron" className="-mr-1 text-quiet" />
        </Button>
      }
    >
      <MenuChoice
        value={by ?? ''}
        options={options}
        onChoose={(value) => onChoose(isDimension(value, words) ? value : undefined)}
      />
    </Menu>
  );
}
