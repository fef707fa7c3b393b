/** Finds sums of plain numbers in a sentence and calculates them. Nothing that a caller wrote is evaluated as code. */

export interface Sum {
  /** As the sentence has it. */
  readonly expression: string;
  /** Undefined where there is no result, such as a division by zero. */
  readonly value: number | undefined;
}

const textLengthMax = 8_000;
const sumsMax = 5;
const asksForSum = /\b(?:what(?:'s|’s| is| are)?|calculate|compute|solve|how much|sum|result)\b|=/i;
const datePattern = /\d{4}-\d{2}-\d{2}|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b/g;
const sumPattern = /(?<![\w.,])-?\d{1,15}(?:\.\d{1,10})?(?: ?[-+*/×÷] ?\d{1,15}(?:\.\d{1,10})?){1,20}(?![\d.]*\w)/g;

export function findSums(sentence: string): Sum[] {
  const text = sentence.slice(0, textLengthMax).replace(datePattern, (date) => '#'.repeat(date.length));
  const asked = asksForSum.test(text);
  const sums: Sum[] = [];
  for (const [expression] of text.matchAll(sumPattern)) {
    // "10-20" and "24/7" are sums only where the sentence asks for one.
    if (!asked && /^[\d.]+(?:[-/][\d.]+)+$/.test(expression)) continue;
    sums.push({ expression, value: resultOf(expression) });
    if (sums.length === sumsMax) break;
  }
  return sums;
}

/** Products first, then their sum. */
function resultOf(expression: string): number | undefined {
  let total = 0;
  let product = 0;
  for (const [, operator = '+', digits] of expression.matchAll(/([-+*/×÷])? ?(\d+(?:\.\d+)?)/g)) {
    const number = Number(digits);
    if (operator === '*' || operator === '×') product *= number;
    else if (operator === '/' || operator === '÷') product /= number;
    else {
      total += product;
      product = operator === '-' ? -number : number;
    }
  }
  const value = total + product;
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : undefined;
}
