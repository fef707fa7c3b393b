/** What a PromQL expression names: metrics, labels, and values of labels that it compares with. */

export interface Named {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
  /** `code="x"` as `['code', 'x']`; patterns are left out. */
  readonly values: readonly (readonly [label: string, value: string])[];
}

const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
const clauses = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/gi;

export function namedIn(expression: string): Named {
  const labels = new Set<string>();
  const values: [string, string][] = [];
  const listed = (text: string): void => {
    for (const label of text.split(',')) if (label.trim() !== '') labels.add(label.trim());
  };
  const bare = expression
    .replace(/\{([^}]*)\}/g, (_, selectors: string) => {
      for (const [, label = '', operator, value = ''] of selectors.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)) {
        labels.add(label);
        if ((operator === '=' || operator === '!=') && value !== '') values.push([label, value]);
      }
      return ' ';
    })
    .replace(clauses, (_, list: string) => {
      listed(list);
      return ' ';
    })
    .replace(/\[[^\]]*\]/g, ' ');
  // A word before a parenthesis is a function; what is left beside numbers and durations is a metric.
  const words = [...bare.matchAll(/(?<![\w.:])([a-zA-Z_:][\w:]*)\s*(\(?)/g)];
  const metrics = words.flatMap(([, word = '', opens]) =>
    opens === '(' || keywords.has(word.toLowerCase()) || isAggregation(word) ? [] : [word],
  );
  return { metrics: [...new Set(metrics)], labels: [...labels], values };
}

/** An aggregation is followed by its clause, which is removed by now: `sum by (job) (…)`. */
const isAggregation = (word: string): boolean => /^(?:sum|min|max|avg|count|group|topk|bottomk)$/.test(word);
